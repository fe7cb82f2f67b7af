import { assert, describe, it } from "vitest"
import { forbiddenStyle } from "#src/http/character/forbiddenStyleSchemas.ts"

const accepts = (value: string) => forbiddenStyle.safeParse([{ kind: "regex", value }]).success

describe("a forbidden_style regex", () => {
  it.each(["as an? AI", "^\\s+$", "(ha)+", "[a-z]+@[a-z]+", "(?P<word>\\p{L}+)!", "(a+)+", "(a?){24}a{24}b"])(
    "may be anything that RE2 runs in linear time: %s",
    (pattern) => {
      assert.isTrue(accepts(pattern))
    }
  )
  it.each(["(a)\\1", "foo(?=bar)", "foo(?!bar)", "(?<=foo)bar", "(unclosed", "a**", "(?:(?:a{100}){100}){100}"])(
    "is refused if RE2 does not support it: %s",
    (pattern) => {
      assert.isFalse(accepts(pattern))
    }
  )
})
