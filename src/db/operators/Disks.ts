import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { statfs } from "node:fs/promises"
import type { DiskEvidence } from "#src/health/Evidence.ts"

/** A folder that this process writes to. */
export type WrittenFolder = Pick<DiskEvidence, "path" | "holds">

/** The file systems that this process writes to. One that cannot be read is left out: what fails there says so. */
export class Disks extends Context.Service<Disks, { readonly read: Effect.Effect<ReadonlyArray<DiskEvidence>> }>()(
  "src/db/operators/Disks"
) {
  static readonly layer = (folders: ReadonlyArray<WrittenFolder>) =>
    Layer.succeed(Disks, {
      read: Effect.forEach(folders, ({ path, holds }) =>
        Effect.tryPromise(() => statfs(path)).pipe(
          Effect.map(({ bsize, bavail, blocks }) => [
            { path, holds, free_bytes: bavail * bsize, total_bytes: blocks * bsize }
          ]),
          Effect.orElseSucceed(() => [])
        )
      ).pipe(Effect.map((read) => read.flat()))
    })
}
