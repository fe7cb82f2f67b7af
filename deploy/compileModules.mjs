// Fills the compile cache that bin/troupe.mjs reads, when the image is built. Loads the modules, and runs nothing.
import { enableCompileCache, flushCompileCache } from "node:module"
import { fileURLToPath } from "node:url"

enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)))
await import("../bin/resolveOnce.mjs")
await Promise.all([
  import("../src/commands/server/serve.ts"),
  import("../src/composition/process.ts"),
  import("../src/http/server/HttpServer.ts")
])
flushCompileCache()
process.exit(0)
