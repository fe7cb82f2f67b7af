import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** Reads every request to its end, and accepts it. */
const server = createServer((request, response) => {
  request.resume().once("end", () => response.writeHead(204).end())
})
server.listen(0, process.argv[2], () => {
  console.log(JSON.stringify({ ready: true, base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
})
process.once("SIGTERM", () => process.exit(0))
