import { readFile, stat } from "node:fs/promises"
import { basename } from "node:path"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Api, connect, type ServerFlags } from "#src/commands/terminal/api.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { note, print } from "#src/commands/terminal/output.ts"
import { type Review, reviewLines } from "./reviewLines.ts"
import { runClient } from "#src/commands/terminal/run.ts"

interface ImportFlags extends ServerFlags {
  readonly file: string
  readonly slug?: string | undefined
  readonly into?: string | undefined
  readonly yes: boolean
}

/** The maximum file size, so no more is read. */
const MAX_BYTES = 10 * 1024 * 1024

const Finding = Schema.Struct({
  code: Schema.String,
  severity: Schema.String,
  path: Schema.String,
  message: Schema.String,
  excerpt: Schema.String
})
const Staged = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  format_detected: Schema.String,
  content_hash: Schema.NullOr(Schema.String),
  bundle: Schema.NullOr(Schema.Struct({ character: Schema.Record(Schema.String, Schema.Unknown) })),
  diff: Schema.Array(Schema.Struct({ path: Schema.String })),
  target_version: Schema.NullOr(Schema.Int),
  report: Schema.Struct({
    mapped: Schema.Array(Schema.Struct({ from: Schema.String, to: Schema.String })),
    dropped: Schema.Array(Schema.Struct({ from: Schema.String, reason: Schema.String })),
    warnings: Schema.Array(Finding),
    blockers: Schema.Array(Finding)
  })
})
const Committed = Schema.Struct({
  status: Schema.String,
  character: Schema.Struct({ slug: Schema.String, version: Schema.Int })
})

const read = Effect.fnUntraced(function* (file: string) {
  const problem = (why: string) => new BadArgument({ problem: `${file}: ${why}` })
  const { size } = yield* Effect.tryPromise({ try: () => stat(file), catch: () => problem("cannot be read") })
  if (size > MAX_BYTES) return yield* problem("is larger than 10 MiB")
  return yield* Effect.tryPromise({ try: () => readFile(file), catch: () => problem("cannot be read") })
})

/** The answer of a person or a pipe. End of input means no. */
const agreed = (question: string) =>
  Effect.callback<boolean>((resume) => {
    process.stderr.write(question)
    const reader = createInterface({ input: process.stdin })
    reader.once("line", (line) => {
      resume(Effect.succeed(/^y(?:es)?$/i.test(line.trim())))
      reader.close()
    })
    reader.once("close", () => resume(Effect.succeed(false)))
  })

const accept = (api: Api, { id, report }: Review) =>
  api.patch(
    `/v1/imports/${id}`,
    {
      accept_warnings: [
        ...new Set(report.warnings.filter(({ severity }) => severity === "warning").map(({ code }) => code))
      ]
    },
    Staged
  )

/** `troupe character import FILE [--slug S | --into S] [--yes]` */
export const importCharacter = (flags: ImportFlags) =>
  runClient(
    Effect.gen(function* () {
      if (flags.slug !== undefined && flags.into !== undefined)
        return yield* new BadArgument({ problem: "--slug and --into cannot be given together" })
      const content = yield* read(flags.file)
      const api = yield* connect(flags)
      const target = flags.into ?? flags.slug
      const staged = yield* api.post(
        "/v1/imports",
        {
          content_base64: content.toString("base64"),
          filename: basename(flags.file).slice(0, 200),
          mode: flags.into === undefined ? "create" : "update",
          ...(target !== undefined && { target_slug: target })
        },
        Staged
      )
      for (const line of reviewLines(staged)) note(line)
      if (staged.report.blockers.length > 0) {
        return yield* new BadArgument({
          problem: `blocked: edit the import with PATCH /v1/imports/${staged.id}, or the file`
        })
      }
      if (!flags.yes && !(yield* agreed("troupe: create this character? [y/N] "))) {
        print(JSON.stringify({ import_id: staged.id, status: staged.status }))
        return
      }
      const { content_hash } = staged.status === "ready" ? staged : yield* accept(api, staged)
      const { status, character } = yield* api.post(
        `/v1/imports/${staged.id}/commit`,
        { content_hash, ...(staged.target_version !== null && { expected_version: staged.target_version }) },
        Committed
      )
      print(JSON.stringify({ import_id: staged.id, status, slug: character.slug, version: character.version }))
    })
  )
