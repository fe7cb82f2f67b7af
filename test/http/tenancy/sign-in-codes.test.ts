import { assert, describe, it } from "vitest"
import { makeSignInCodes } from "#src/accounts/signInCodes.ts"
import { signInCode } from "#test/support/browser/approve.ts"

const console = () => {
  let text = ""
  return {
    write: (line: string) => {
      text += `${line}\n`
    },
    code: () => signInCode(text),
    lines: () => text.split("\n").length - 1
  }
}

describe("codes of the development sign-in", () => {
  it("expire after ten minutes", () => {
    let now = 0
    const codes = makeSignInCodes(() => now)
    const { write, code } = console()
    codes.show("a", write)
    now = 10 * 60_000 - 1
    assert.strictEqual(codes.check("a", "BCDF-GHJK"), "wrong")
    now += 1
    assert.strictEqual(codes.check("a", code()), "over")
  })

  it("are printed once for each sign-in, and for at most twenty sign-ins at a time", () => {
    let now = 0
    const codes = makeSignInCodes(() => now)
    const { write, lines } = console()
    for (let n = 0; n < 20; n++)
      for (let again = 0; again < 3; again++) assert.strictEqual(codes.show(`sign-in ${n}`, write), "shown")
    assert.strictEqual(codes.show("one more", write), "full")
    assert.strictEqual(lines(), 20)
    now = 10 * 60_000
    assert.strictEqual(codes.show("one more", write), "shown")
  })
})
