import * as Effect from "effect/Effect"
import { once } from "node:events"
import postgres from "postgres"
import { open } from "#src/db/postgres/embedded/open.ts"
import * as Observability from "#src/composition/observability.ts"

/** Opens the embedded server of argv[2], prints one line of JSON once it answers, and leaves when stdin ends. */
const program = Effect.gen(function* () {
  const { url } = yield* open(process.argv[2] ?? "")
  const sql = postgres(url, { max: 1 })
  const [row] = yield* Effect.promise(() => sql<Array<{ one: number }>>`select 1 as one`)
  yield* Effect.promise(() => sql.end())
  console.log(JSON.stringify({ url, one: row?.one }))
  process.stdin.resume()
  yield* Effect.promise(() => once(process.stdin, "end"))
})

await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(Observability.layer))).catch((error: unknown) => {
  console.error(String(error))
  process.exitCode = 1
})
