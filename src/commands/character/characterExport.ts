import { writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as check from "#src/settings/checks.ts"
import { connect, type ServerFlags } from "#src/commands/terminal/api.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { print } from "#src/commands/terminal/output.ts"
import { runClient } from "#src/commands/terminal/run.ts"

interface ExportFlags extends ServerFlags {
  readonly slug: string
  readonly format: string
  readonly out?: string | undefined
}

const EXTENSIONS = [
  ["image/png", "png"],
  ["application/zip", "zip"]
] as const

/** `troupe character export SLUG [--format F] [--out FILE]` */
export const exportCharacter = (flags: ExportFlags) =>
  runClient(
    Effect.gen(function* () {
      const format = yield* check.oneOf("--format", flags.format, ["chara_card_v3", "png", "bundle"])
      const api = yield* connect(flags)
      const response = yield* api.open(`/v1/characters/${encodeURIComponent(flags.slug)}/export?format=${format}`)
      const content = Buffer.from(yield* Effect.promise(() => response.arrayBuffer()))
      const extension =
        EXTENSIONS.find(([type]) => response.headers.get("content-type")?.startsWith(type))?.[1] ?? "json"
      const file = resolve(flags.out ?? `${flags.slug}.${extension}`)
      yield* Effect.tryPromise({
        try: () => writeFile(file, content),
        catch: () => new BadArgument({ problem: `${file}: cannot be written` })
      })
      print(JSON.stringify({ slug: flags.slug, format, file, bytes: content.length }))
    }).pipe(Effect.scoped)
  )
