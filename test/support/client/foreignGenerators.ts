// Generates clients of the whole document with two generators of others: node foreignGenerators.ts openapi.json FOLDER
import { join } from "node:path"
import { withTypeScript5 } from "./withTypeScript5.ts"

const [, , input = "", folder = ""] = process.argv

withTypeScript5()
const { createClient } = await import("@hey-api/openapi-ts")
await createClient({
  input,
  output: { path: join(folder, "hey") },
  plugins: ["@hey-api/typescript", "@hey-api/client-fetch", "@hey-api/sdk"],
  logs: { level: "silent" }
})

const { generateApi } = await import("swagger-typescript-api")
await generateApi({ input, output: join(folder, "swagger"), fileName: "Api.ts", silent: true })
