import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as z from "zod"
import { INTERNAL } from "#src/http/server/reference/internalSurface.ts"
import { answersAs } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"

const require = createRequire(import.meta.url)
const ours = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), "utf8")
const theirs = (file: string) => readFileSync(require.resolve(file), "utf8")

interface Asset {
  /** Its name contains a hash of its text, so that a browser may keep it forever. */
  readonly path: string
  readonly type: string
  readonly text: string
}
const asset = (name: string, extension: string, type: string, text: string): Asset => ({
  path: `/console/assets/${name}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}.${extension}`,
  type,
  text
})

export const STYLE = asset("console", "css", "text/css", ours("console.css"))
export const SCRIPT = asset(
  "console",
  "js",
  "text/javascript",
  ["htmx.org/dist/htmx.min.js", "htmx.org/dist/ext/hx-sse.min.js"].map(theirs).join("\n;\n") +
    `\n;\n${ours("console.js")}`
)

/** The stylesheet and the script of the console. They are the same for everybody, so they need no sign-in. */
export const assetRoutes: Routes = ({ app }) => {
  for (const { path, type, text } of [STYLE, SCRIPT])
    app.get(
      path.replace(/-[0-9a-f]{16}\./, "-:hash."),
      {
        config: { auth: "none", cost: { requests: 0 } },
        schema: {
          operationId: `readConsole${type === "text/css" ? "Style" : "Script"}`,
          summary: "A file of the console",
          ...INTERNAL,
          params: z.object({ hash: z.string() }),
          response: answersAs(type, z.string())
        }
      },
      // Whatever hash is asked for, the answer is the present file. Only the present one may be kept.
      (request, reply) =>
        reply
          .header("cache-control", request.url === path ? "public, max-age=31536000, immutable" : "no-cache")
          .type(`${type}; charset=utf-8`)
          .send(text)
    )
}
