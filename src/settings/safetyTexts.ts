import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { readFileSync } from "node:fs"
import { SafetyTexts, type SafetyTextsByLocale } from "#pipeline/safety/texts.ts"
import { BadSetting, type Given, given, need } from "./checks.ts"

const LANGUAGE_TAG = /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$/
const OwnTexts = Schema.Record(Schema.String, SafetyTexts.mapFields(Struct.map(Schema.optionalKey)))
const decodeSafetyTexts = Schema.decodeUnknownOption(Schema.fromJsonString(OwnTexts), { onExcessProperty: "error" })

/** The operator's safety texts: a JSON file by language tag. */
export const checkSafetyTexts = (setting: string, path: Given): Effect.Effect<SafetyTextsByLocale, BadSetting> => {
  const file = given(path)
  if (file === null) return Effect.succeed(new Map())
  return Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: () => new BadSetting({ setting, problem: "must be the path of a readable file" })
  }).pipe(
    Effect.flatMap((text) =>
      need(
        setting,
        Option.getOrNull(
          Option.filter(decodeSafetyTexts(text), (texts) => Object.keys(texts).every((tag) => LANGUAGE_TAG.test(tag)))
        ),
        'must be JSON such as {"de-AT": {"crisis": ["..."], "ai_disclosure": ["..."]}}, with the documented keys only'
      )
    ),
    Effect.map((texts) => new Map(Object.entries(texts)))
  )
}
