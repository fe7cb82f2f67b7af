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
import { completeItem, completeItemWith, failItem, delayItem } from "./batches/settleItem.ts"
import type { StoredBatch, StoredItem } from "./batches/StoredBatch.ts"
import { type BatchItem, itemToken, takeItem, wakeAtNext } from "./batches/takeItem.ts"

/** Batches of operations on many bots, item by item. */
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
     * Leases the next due item of a kind. A number: there is one, and a slot for it in this many milliseconds.
     * Undefined: there is none.
     */
    readonly next: (kind: BatchKind) => Effect.Effect<BatchItem | number | undefined, DatabaseError>
    readonly token: (
      item: BatchItem
    ) => Effect.Effect<Redacted.Redacted<string> | undefined, DatabaseError | SecretUnreadable>
    readonly done: (item: BatchItem) => Effect.Effect<void, DatabaseError>
    /** Makes a change and completes its item, in one transaction. Neither, if another worker has the item now. */
    readonly doneWith: <A, E>(item: BatchItem, change: Effect.Effect<A, E>) => Effect.Effect<void, E | DatabaseError>
    /**
     * Postpones it by this many seconds without counting an attempt. Like `failed`, it has no effect if another worker
     * has the item now.
     */
    readonly wait: (item: BatchItem, seconds: number) => Effect.Effect<void, DatabaseError>
    /** Wakes the workers when the next item is due, if that is within a minute. */
    readonly wakeAtNext: Effect.Effect<void, DatabaseError>
    /** `passing`: it is retried later, a limited number of times. */
    readonly failed: (item: BatchItem, error: string, passing: boolean) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/BatchRows") {
  static readonly layer = Layer.effect(
    BatchRows,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<Database | Secrets>())
      return BatchRows.of({
        create: (...args) => provide(createBatch(...args)),
        get: (...args) => provide(getBatch(...args)),
        items: (...args) => provide(listItems(...args)),
        next: (kind) => provide(takeItem(kind)),
        token: (item) => provide(itemToken(item)),
        done: (item) => provide(completeItem(item)),
        doneWith: (item, change) => provide(completeItemWith(item, change)),
        wait: (...args) => provide(delayItem(...args)),
        wakeAtNext: provide(wakeAtNext),
        failed: (...args) => provide(failItem(...args))
      })
    })
  )
}
