import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { PublicAddress } from "#src/jobs/telegram/PublicAddress.ts"

const addresses = (publicUrl: string | null, host = "127.0.0.1") =>
  Effect.runSync(
    Effect.gen(function* () {
      const address = yield* PublicAddress
      const before = yield* address.current
      yield* address.listensOn(4321)
      return [before, yield* address.current]
    }).pipe(Effect.provide(PublicAddress.layer({ publicUrl, host, port: 8080 })))
  )

describe("the public address that is written down", () => {
  it("is PUBLIC_URL, wherever the server listens", () => {
    assert.deepStrictEqual(addresses("https://troupe.example"), ["https://troupe.example", "https://troupe.example"])
  })

  it("is otherwise the address where it listens, with a host that can be opened", () => {
    assert.deepStrictEqual(addresses(null), ["http://127.0.0.1:8080", "http://127.0.0.1:4321"])
    for (const host of ["0.0.0.0", "::"]) assert.deepStrictEqual(addresses(null, host)[1], "http://127.0.0.1:4321")
    assert.deepStrictEqual(addresses(null, "::1")[1], "http://[::1]:4321")
  })
})
