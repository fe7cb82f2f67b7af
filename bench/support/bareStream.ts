import { createServer, type ServerResponse } from "node:http"

/** The minimum work for followers: keep their responses, and write one chunk to each on a POST. */
const followers = new Set<ServerResponse>()
const server = createServer((request, response) => {
  if (request.method === "POST") {
    let body = ""
    request.on("data", (data) => {
      body += data
    })
    request.on("end", () => {
      for (const follower of followers) follower.write(body)
      response.end("{}")
    })
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
  response.write("retry: 2000\n\n")
  followers.add(response)
  response.once("close", () => followers.delete(response))
})
server.listen(0, "127.0.0.1", 20_000, () => {
  const address = server.address()
  console.log(
    JSON.stringify({
      ready: true,
      base_url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    })
  )
})
process.once("SIGTERM", () => process.exit(0))
