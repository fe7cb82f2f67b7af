// Receives the events of every session of the app. Run it with the channel's secret in WEBHOOK_SECRET.
import { createServer, type IncomingMessage } from "node:http"
import { SignatureError, Troupe } from "@troupe/client"

const { TROUPE_URL = "http://127.0.0.1:8080", TROUPE_KEY = "", WEBHOOK_SECRET = "", PORT = "3001" } = process.env
const troupe = new Troupe({ baseUrl: TROUPE_URL, apiKey: TROUPE_KEY })

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Events arrive at least once. A real receiver keeps the ids where it keeps what it makes of the events. */
const seen = new Set<string>()

const server = createServer(async (request, response) => {
  try {
    const event = troupe.webhooks.unwrap(await bytesOf(request), request.headers, WEBHOOK_SECRET)
    if (!seen.has(event.id)) {
      seen.add(event.id)
      if (event.type === "message.created" && event.role === "character")
        console.log(JSON.stringify({ session: event.session_id, bubbles: event.payload.bubbles }))
    }
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(error instanceof SignatureError ? 401 : 500).end()
  }
})
server.listen(Number(PORT), "127.0.0.1", () => console.log(JSON.stringify(server.address())))
