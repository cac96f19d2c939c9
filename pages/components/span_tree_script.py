"""How the tree of steps looks and moves in the browser; texts only ever become text there, never markup."""

HTML = """
<div class="tools">
  <button type="button" class="all">Unfold all</button>
  <button type="button" class="none">Fold</button>
  <label><input type="checkbox" class="path"> Critical path only</label>
  <span class="number" aria-live="polite"></span>
</div>
<div class="axis" aria-hidden="true"><span></span><div></div><span></span></div>
<div class="scroll"><div class="room" role="tree"></div></div>
"""
CSS = """
:host { container-type: inline-size; display: block; }
.tools { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; font: .8125rem var(--st-font);
  color: var(--st-text-color); padding-bottom: .25rem; }
.tools button { border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius); background: none;
  color: inherit; font: inherit; padding: .1rem .6rem; cursor: pointer; }
.tools button:hover, .tools button:focus-visible { border-color: var(--st-primary-color); }
.tools label { display: inline-flex; gap: .35rem; align-items: center; cursor: pointer; }
.tools input { accent-color: var(--st-primary-color); margin: 0; }
.number { opacity: .75; }
.axis, .row { display: grid; grid-template-columns: clamp(8rem, 34%, 20rem) 1fr 5.5rem; column-gap: .5rem; }
.axis { font: .6875rem var(--st-font); color: var(--st-text-color); height: 1.1rem; padding-right: 10px; }
.axis div { position: relative; opacity: .75; }
.axis div span { position: absolute; white-space: nowrap; }
.scroll { overflow-y: auto; max-height: 40rem; border-top: 1px solid var(--st-border-color); scrollbar-width: thin; }
.room { position: relative; }
.row { position: absolute; left: 0; right: 0; height: 24px; align-items: center; cursor: pointer; padding-right: 10px;
  font: .8125rem var(--st-font); color: var(--st-text-color); outline-offset: -2px; }
.row:hover { background: var(--st-secondary-background-color); }
.row:focus-visible { outline: 2px solid var(--st-primary-color); }
.row.chosen { background: var(--st-secondary-background-color); box-shadow: inset 3px 0 var(--st-primary-color); }
.name { display: flex; min-width: 0; align-items: center; }
.name b { font-weight: 400; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.on .name b { font-weight: 600; }
.fold { flex: none; width: 1.25rem; height: 24px; position: relative; opacity: .75; }
.fold.has::before { content: ""; position: absolute; left: 6px; top: 8px; border: 4px solid transparent;
  border-left: 6px solid currentColor; }
.unfolded .fold.has::before { left: 4px; top: 10px; border: 4px solid transparent; border-top: 6px solid currentColor; }
.fold.has:hover { opacity: 1; color: var(--st-primary-color); }
.track { position: relative; height: 100%; }
.bar { position: absolute; top: 5px; height: 14px; min-width: 2px; border-radius: 2px; opacity: .4; }
.on .bar { opacity: 1; }
.holds .bar { top: 9px; height: 6px; }
.failed .bar { outline: 2px solid var(--failed); }
.open .bar { border-radius: 2px 0 0 2px; animation: pulse 1.6s ease-in-out infinite alternate; }
.line { position: absolute; bottom: 1px; height: 2px; background: var(--st-text-color); opacity: .65; }
.took { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.failed .took { color: var(--failed); }
@keyframes pulse { to { filter: opacity(.55); } }
@media (prefers-reduced-motion: reduce) { .open .bar { animation: none; } }
@container (max-width: 480px) {
  .axis, .row { grid-template-columns: 46% 1fr 4rem; column-gap: .3rem; }
  .axis div span:nth-child(even) { display: none; }
}
"""
SCRIPT = """
const HEIGHT = 24, SPARE = 12
const memory = new WeakMap()
const [ID, NAME, DEPTH, START, LENGTH, COLOR, FLAGS, TOOK, TITLE, FROM, TO] = Array(11).keys()

function parentsOf(rows) {
    const found = [], path = []
    rows.forEach((row, at) => {
        path.length = row[DEPTH]
        found.push(path.length ? path[path.length - 1] : -1)
        path.push(at)
    })
    return found
}

function seen(state) {
    const { rows, folded, onlyPath } = state, found = []
    let hidden = Infinity
    rows.forEach((row, at) => {
        if (row[DEPTH] > hidden) return
        hidden = folded.has(row[ID]) ? row[DEPTH] : Infinity
        if (!onlyPath || row[FLAGS].includes("on")) found.push(at)
    })
    return found
}

function holds(state, at) { return at + 1 < state.rows.length && state.rows[at + 1][DEPTH] > state.rows[at][DEPTH] }

function element(tag, name, text) {
    const made = document.createElement(tag)
    if (name) made.className = name
    if (text !== undefined) made.textContent = text
    return made
}

export default function ({ data, parentElement, setTriggerValue }) {
    const find = name => parentElement.querySelector(name)
    const scroll = find(".scroll"), room = find(".room")
    let state = memory.get(parentElement)
    const fresh = !state || state.rows[0]?.[ID] !== data.rows[0]?.[ID]
    if (fresh) state = { folded: new Set(), known: new Set(), onlyPath: false, focused: 0, grab: false }
    Object.assign(state, { rows: data.rows, selected: data.selected })
    memory.set(parentElement, state)
    const parents = parentsOf(state.rows)
    parentElement.host?.style.setProperty("--failed", data.failed)

    if (data.rows.length >= data.many) {
        state.rows.forEach((row, at) => {
            if (!state.known.has(row[ID]) && row[DEPTH] >= 2 && holds(state, at)) state.folded.add(row[ID])
        })
    }
    state.rows.forEach(row => state.known.add(row[ID]))
    if (fresh && state.selected) {
        let at = state.rows.findIndex(row => row[ID] === state.selected)
        while (at >= 0) { at = parents[at]; if (at >= 0) state.folded.delete(state.rows[at][ID]) }
    }

    function drawRow(at, place) {
        const row = state.rows[at], line = element("div", `row ${row[FLAGS]}`)
        line.style.top = `${place * HEIGHT}px`
        line.title = row[TITLE]
        line.dataset.id = row[ID]
        line.tabIndex = place === state.focused ? 0 : -1
        line.setAttribute("role", "treeitem")
        line.setAttribute("aria-level", row[DEPTH] + 1)
        line.setAttribute("aria-label", row[TITLE])
        line.setAttribute("aria-selected", row[ID] === state.selected)
        if (row[ID] === state.selected) line.classList.add("chosen")
        const name = element("div", "name"), parent = holds(state, at)
        name.style.paddingLeft = `${Math.min(row[DEPTH], 12) * 0.7}rem`
        const fold = element("span", parent ? "fold has" : "fold")
        if (parent) {
            line.setAttribute("aria-expanded", !state.folded.has(row[ID]))
            line.classList.toggle("unfolded", !state.folded.has(row[ID]))
            fold.onclick = event => { event.stopPropagation(); toggle(at) }
        }
        name.append(fold, element("b", "", row[NAME]))
        const track = element("div", "track"), bar = element("div", "bar")
        bar.style.cssText = `left:${row[START]}%;width:${row[LENGTH]}%;background:${data.colors[row[COLOR]]}`
        track.append(bar)
        if (row[TO] > row[FROM]) {
            const path = element("div", "line")
            path.style.cssText = `left:${row[FROM]}%;width:${row[TO] - row[FROM]}%`
            track.append(path)
        }
        line.append(name, track, element("div", "took", row[TOOK]))
        line.onclick = () => { state.focused = place; setTriggerValue("span", row[ID]) }
        return line
    }

    function draw() {
        const first = Math.max(0, Math.floor(scroll.scrollTop / HEIGHT) - SPARE)
        const last = Math.min(state.shown.length, Math.ceil((scroll.scrollTop + scroll.clientHeight) / HEIGHT) + SPARE)
        const lines = []
        for (let place = first; place < last; place++) lines.push(drawRow(state.shown[place], place))
        room.replaceChildren(...lines)
        if (state.grab) room.querySelector('[tabindex="0"]')?.focus({ preventScroll: true })
    }

    function layout() {
        state.shown = seen(state)
        state.focused = Math.max(0, Math.min(state.focused, state.shown.length - 1))
        room.style.height = `${state.shown.length * HEIGHT}px`
        const all = state.rows.length
        find(".number").textContent = state.shown.length < all
            ? `${state.shown.length.toLocaleString("en")} of ${all.toLocaleString("en")} steps shown`
            : `${all.toLocaleString("en")} steps`
        draw()
    }

    function toggle(at) {
        const id = state.rows[at][ID]
        if (!state.folded.delete(id)) state.folded.add(id)
        layout()
    }

    function move(place) {
        state.focused = Math.max(0, Math.min(place, state.shown.length - 1))
        const top = state.focused * HEIGHT
        if (top < scroll.scrollTop) scroll.scrollTop = top
        const under = top + HEIGHT - scroll.clientHeight
        if (under > scroll.scrollTop) scroll.scrollTop = under
        state.grab = true
        draw()
    }

    room.setAttribute("aria-label", data.label)
    room.onkeydown = event => {
        const at = state.shown[state.focused], id = state.rows[at]?.[ID]
        const page = Math.floor(scroll.clientHeight / HEIGHT)
        const actions = {
            ArrowDown: () => move(state.focused + 1),
            ArrowUp: () => move(state.focused - 1),
            PageDown: () => move(state.focused + page),
            PageUp: () => move(state.focused - page),
            Home: () => move(0),
            End: () => move(state.shown.length - 1),
            ArrowRight: () => {
                if (state.folded.has(id)) { state.grab = true; toggle(at) }
                else move(state.focused + 1)
            },
            ArrowLeft: () => {
                if (holds(state, at) && !state.folded.has(id)) { state.grab = true; toggle(at) }
                else if (state.shown.includes(parents[at])) move(state.shown.indexOf(parents[at]))
            },
            Enter: () => setTriggerValue("span", id),
            " ": () => setTriggerValue("span", id),
        }
        if (id === undefined || !actions[event.key]) return
        event.preventDefault()
        actions[event.key]()
    }
    room.onfocusout = event => { if (event.relatedTarget) state.grab = false }
    scroll.onscroll = () => requestAnimationFrame(draw)
    find(".all").onclick = () => { state.folded.clear(); layout() }
    find(".none").onclick = () => {
        state.rows.forEach((row, at) => { if (row[DEPTH] && holds(state, at)) state.folded.add(row[ID]) })
        layout()
    }
    find(".path").checked = state.onlyPath
    find(".path").onchange = event => { state.onlyPath = event.target.checked; layout() }
    const axis = find(".axis div")
    axis.replaceChildren(...data.ticks.map(([share, text]) => {
        const tick = element("span", "", text)
        tick.style.left = `${share}%`
        return tick
    }))
    layout()
    if (fresh && state.selected) {
        const place = state.shown.findIndex(at => state.rows[at][ID] === state.selected)
        if (place > 10) scroll.scrollTop = (place - 5) * HEIGHT
    }
}
"""
