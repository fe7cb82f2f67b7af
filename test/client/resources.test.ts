import { assert, it } from "vitest"
import { OPERATIONS } from "#client/generated/operations.gen.ts"
import type { Methods } from "#client/operation.ts"
import * as resources from "#client/resources.ts"

/** Read through `sessions.follow`, `events.follow` and `say`. */
const FOLLOWED: ReadonlySet<string> = new Set(["streamEvents", "readFeed", "streamFeed"])

it("the client has a method for every operation of the runtime reference, and each only once", () => {
  const named: Array<string> = []
  const name = (id: string) => void named.push(id)
  const methods = { call: name, list: name, file: name } as unknown as Methods
  for (const resource of Object.values(resources)) resource(methods)
  assert.deepStrictEqual(
    named.toSorted(),
    Object.keys(OPERATIONS)
      .filter((id) => !FOLLOWED.has(id))
      .toSorted()
  )
})
