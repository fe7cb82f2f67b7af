// A backend with one route: POST /chat {"user": "...", "text": "..."} answers with what the character says.
// Run it with TROUPE_URL, TROUPE_KEY and CHARACTER in the environment.
import { createServer, type IncomingMessage } from "node:http"
import { isApiError, Troupe } from "@troupe/client"

const { TROUPE_URL = "http://127.0.0.1:8080", TROUPE_KEY = "", CHARACTER = "mara", PORT = "3000" } = process.env

// --- The glue between your backend and the character ---
const troupe = new Troupe({ baseUrl: TROUPE_URL, apiKey: TROUPE_KEY })

const answer = async (user: string, text: string): Promise<ReadonlyArray<string>> => {
  const session = await troupe.sessions.create({ character_slug: CHARACTER, external_user_ref: user })
  const turn = await troupe.sessions.say(session.id, text)
  if (turn.outcome === "failed") throw new Error(`no reply: ${turn.reason}`)
  return turn.outcome === "withheld" ? [] : turn.bubbles
}
// --- The end of the glue ---

const bodyOf = async (request: IncomingMessage): Promise<{ user: string; text: string }> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString("utf8"))
}

const server = createServer(async (request, response) => {
  response.setHeader("content-type", "application/json")
  if (request.method !== "POST" || request.url !== "/chat") return response.writeHead(404).end("{}")
  try {
    const { user, text } = await bodyOf(request)
    response.end(JSON.stringify({ bubbles: await answer(user, text) }))
  } catch (error) {
    const status = isApiError(error) ? error.status : 500
    response.writeHead(status).end(JSON.stringify({ error: String(error) }))
  }
})
server.listen(Number(PORT), "127.0.0.1", () => console.log(JSON.stringify(server.address())))
