"""The query line over turns: `level:error latency:>2s tool:send_* -model:x "free text"`."""
