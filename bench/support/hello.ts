import Fastify from "fastify"

const body = process.env["HELLO_BODY"] ?? "{}"
const app = Fastify()
app.all("/*", (_, reply) => reply.header("content-type", "application/json; charset=utf-8").send(body))
await app.listen({ host: "127.0.0.1", port: 0 })
const [address] = app.addresses()
console.log(
  JSON.stringify({ ready: true, base_url: `http://127.0.0.1:${typeof address === "object" ? address.port : 0}` })
)
process.once("SIGTERM", () => process.exit(0))
