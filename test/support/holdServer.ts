import { openServer } from "./embedded.ts"

// A process that uses the server of a folder until it is killed.
const { url } = await openServer(process.argv[2] ?? "")
process.stdout.write(`${url}\n`)
setInterval(() => {}, 60_000)
