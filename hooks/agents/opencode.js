// chalkgit's plugin for OpenCode; written by `chalkgit hooks install --agent opencode`.
// After an edit, at a session's first prompt and at each prompt, what this repository's records say is
// added behind what the model reads. Where chalkgit is not installed, or fails, nothing is.
import { spawn } from "node:child_process"

const EDITS = ["edit", "write", "multiedit", "patch", "apply_patch"]
const MILLISECONDS = 10000

const ask = (cwd, event) =>
  new Promise((resolve) => {
    const child = spawn("chalkgit", ["hook", "agent", "--client", "opencode"], {
      cwd,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: MILLISECONDS,
    })
    let said = ""
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (said += data))
    child.on("close", () => {
      try {
        resolve(JSON.parse(said).hookSpecificOutput.additionalContext)
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify({ client: "opencode", cwd, ...event }))
  })

export const Chalkgit = async ({ directory }) => {
  const begun = new Set()
  return {
    "tool.execute.after": async (input, output) => {
      if (!EDITS.includes(input.tool)) return
      const context = await ask(directory, {
        hook_event_name: "PostToolUse",
        session_id: input.sessionID,
        tool_name: input.tool,
        tool_input: input.args,
      })
      if (context) output.output += `\n\n${context}`
    },
    "chat.message": async (input, output) => {
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const last = texts[texts.length - 1]
      if (!last) return
      const said = []
      if (!begun.has(input.sessionID)) {
        begun.add(input.sessionID)
        const event = { hook_event_name: "SessionStart", source: "resume", session_id: input.sessionID }
        said.push(await ask(directory, event))
      }
      const prompt = texts.map((part) => part.text).join("\n")
      const event = { hook_event_name: "UserPromptSubmit", session_id: input.sessionID, prompt }
      said.push(await ask(directory, event))
      const text = said.filter(Boolean).join("\n\n")
      if (text) output.parts.push({ ...last, id: `${last.id}z`, text, synthetic: true })
    },
    event: async ({ event }) => {
      if (event.type !== "session.compacted") return
      const session_id = event.properties.sessionID
      await ask(directory, { hook_event_name: "SessionStart", source: "compact", session_id })
      begun.delete(session_id)
    },
  }
}
