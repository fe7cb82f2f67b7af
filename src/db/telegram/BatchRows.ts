import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { Database, DatabaseError } from "#src/db/postgres/Database.ts"
import type { Secrets } from "#src/db/postgres/Secrets.ts"
import type { SecretUnreadable } from "#src/db/postgres/secretsCipher.ts"
import type { BatchKind } from "./batches/batchKinds.ts"
import { createBatch, type NewBatch } from "./batches/createBatch.ts"
import { getBatch, listItems } from "./batches/readBatches.ts"
import { itemDone, itemFailed, itemWaits } from "./batches/settleItem.ts"
import type { StoredBatch, StoredItem } from "./batches/StoredBatch.ts"
import { type BatchItem, itemToken, takeItem } from "./batches/takeItem.ts"

/** Things done to many bots, item by item. */
export class BatchRows extends Context.Service<
  BatchRows,
  {
    readonly create: (appId: string, batch: NewBatch) => Effect.Effect<StoredBatch, DatabaseError>
    readonly get: (appId: string, batchId: string) => Effect.Effect<StoredBatch | undefined, DatabaseError>
    readonly items: (
      appId: string,
      batchId: string,
      filter: { readonly after: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredItem>, DatabaseError>
    /**
     * The next item of a kind that is due, for a while nobody else's. A number: there is one, and in so many
     * milliseconds a place for it. Undefined: there is none.
     */
    readonly next: (kind: BatchKind) => Effect.Effect<BatchItem | number | undefined, DatabaseError>
    readonly token: (
      item: BatchItem
    ) => Effect.Effect<Redacted.Redacted<string> | undefined, DatabaseError | SecretUnreadable>
    readonly done: (item: BatchItem) => Effect.Effect<void, DatabaseError>
    /**
     * It is done after so long, and that it waited is no attempt. Like `failed`, it says nothing any more of an item
     * that somebody else has taken since.
     */
    readonly wait: (item: BatchItem, seconds: number) => Effect.Effect<void, DatabaseError>
    /** `passing`: it is tried again later, a few times. */
    readonly failed: (item: BatchItem, error: string, passing: boolean) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/BatchRows") {
  static readonly layer = Layer.effect(
    BatchRows,
    Effect.gen(function* () {
      const within = Effect.provideContext(yield* Effect.context<Database | Secrets>())
      return BatchRows.of({
        create: (...args) => within(createBatch(...args)),
        get: (...args) => within(getBatch(...args)),
        items: (...args) => within(listItems(...args)),
        next: (kind) => within(takeItem(kind)),
        token: (item) => within(itemToken(item)),
        done: (item) => within(itemDone(item)),
        wait: (...args) => within(itemWaits(...args)),
        failed: (...args) => within(itemFailed(...args))
      })
    })
  )
}
