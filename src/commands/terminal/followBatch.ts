import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Api } from "./api.ts"
import { note, print } from "./output.ts"

export const Batch = Schema.Struct({
  id: Schema.String,
  action: Schema.String,
  status: Schema.String,
  total: Schema.Int,
  done: Schema.Int,
  failed: Schema.Int
})

/** Waits for a batch of the operator, and says how far it is. The exit code is 1 if an item failed. */
export const followBatch = Effect.fnUntraced(function* (api: Api, id: string, json: boolean) {
  let batch = yield* api.get(`/admin/batches/${id}`, Batch)
  for (let told = -1; batch.status !== "completed"; batch = yield* api.get(`/admin/batches/${id}`, Batch)) {
    if (batch.done + batch.failed !== told) note(`${id}: ${batch.done + batch.failed} of ${batch.total}`)
    told = batch.done + batch.failed
    yield* Effect.sleep("1 second")
  }
  print(
    json
      ? JSON.stringify(batch)
      : `${batch.action} of ${batch.total}: ${batch.done} done, ${batch.failed} failed (${id})`
  )
  if (batch.failed > 0)
    yield* Effect.sync(() => {
      process.exitCode = 1
    })
})
