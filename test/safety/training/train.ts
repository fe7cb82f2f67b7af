import { writeFileSync } from "node:fs"
import { constants, zstdCompressSync } from "node:zlib"
import { LABELS, type Label, readWeights } from "#pipeline/safety/classifier/Classifier.ts"
import { featuresOf } from "#pipeline/safety/classifier/features.ts"
import { tokensOf } from "#pipeline/safety/classifier/tokens.ts"
import { digestOfTraining } from "./digest.ts"
import { isLabel, LANGUAGES, type Message, readMessages, YEAR } from "./messages.ts"
import { type Example, regress, type Regression, scoresOf } from "./regression.ts"

/**
 * Learns the weights of the safety classifier from the messages beside it, and writes them to
 * pipeline/safety/classifier. First it learns from two thirds of the authors and scores the messages of the others, for
 * each third in turn: from those scores come the figures it prints and the score from which on a label is found.
 *
 * With labels as arguments it learns only these. The weights of the others stay as they are.
 */

/**
 * Of messages without the label, the share that may be found all the same: the examples are far harder than what people
 * mostly write.
 */
const FALSE_ALARMS: Readonly<Record<Label, number>> = {
  self: 0.025,
  medical: 0.006,
  danger: 0.008,
  threat: 0.006,
  minor: 0.004,
  ask: 0.004,
  en: 0.02,
  de: 0.02,
  es: 0.02,
  pt: 0.02
}
const ALARMS: ReadonlyArray<Label> = ["self", "medical", "danger", "threat"]
/** Each third of the authors is scored by what is learned from the other two. */
const PARTS = 3
/**
 * Ordinary talk, which each part learns from, because the classifier never meets a world without it. The lines of the
 * demo characters are ordinary talk too. Not scored.
 */
const ORDINARY_TALK: ReadonlySet<string> = new Set(["plain", "lines"])
/** A feature of fewer messages is not learned. */
const FEWEST = 2
const named = process.argv.slice(2)
if (!named.every(isLabel)) throw new Error(`The labels are ${LABELS.join(", ")}.`)
const learned: ReadonlyArray<Label> = named.length === 0 ? LABELS : named
const before = learned.length < LABELS.length ? readWeights() : null
const messages = readMessages("messages", [...LANGUAGES, "other"])
const hashesOf = messages.map(({ text }) => [...new Set(featuresOf(tokensOf(text, YEAR)))])
const counts = new Map<number, number>()
for (const hashes of hashesOf) for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1)
const places = new Map<number, number>()
for (const hash of before?.hashes ?? []) places.set(hash, places.size)
for (const [hash, count] of counts) if (count >= FEWEST && !places.has(hash)) places.set(hash, places.size)

const hasOf = ({ labels, language, open }: Message): Float64Array =>
  Float64Array.from(learned, (label) =>
    open.has(label) ? Number.NaN : labels.has(label) || label === language ? 1 : 0
  )
/** A feature that a message has twice counts twice, as it does when messages are scored. */
const examples = messages.map((message): Example => ({
  features: Uint32Array.from(featuresOf(tokensOf(message.text, YEAR)))
    .map((hash) => places.get(hash) ?? 0xffffffff)
    .filter((place) => place !== 0xffffffff),
  has: hasOf(message)
}))
console.log(`${messages.length} messages, ${places.size} features in ${FEWEST} or more of them`)

const apart = examples.map(() => new Float64Array(learned.length))
/** The authors in parts of about as many messages: the largest first, each to the part that has the fewest. */
const parts = Array.from({ length: PARTS }, () => ({ authors: new Set<string>(), messages: 0 }))
const byAuthor = Object.entries(Object.groupBy(messages, ({ author }) => author)).filter(
  ([author]) => !ORDINARY_TALK.has(author)
)
for (const [author, own = []] of byAuthor.toSorted(([, one = []], [, other = []]) => other.length - one.length)) {
  const [smallest] = parts.toSorted((one, other) => one.messages - other.messages)
  smallest?.authors.add(author)
  if (smallest !== undefined) smallest.messages += own.length
}
for (const { authors } of parts) {
  const regression = regress(
    examples.filter((_, at) => !authors.has(messages[at]!.author)),
    places.size,
    learned.length
  )
  for (const [at, { author }] of messages.entries())
    if (authors.has(author)) apart[at] = scoresOf(regression, examples[at]!.features)
  console.log(`  learned without ${[...authors].join(", ")}`)
}

const scored = [...messages.entries()].filter(([, { author }]) => !ORDINARY_TALK.has(author))
const isAlarm = (message: Message): boolean => ALARMS.some((label) => message.labels.has(label))
const thresholds = learned.map((label, at) => {
  const without = scored
    .flatMap(([place, message]) =>
      examples[place]!.has[at] === 0 && !(ALARMS.includes(label) && isAlarm(message)) ? [apart[place]![at]!] : []
    )
    .toSorted((a, b) => b - a)
  return without[Math.floor(without.length * FALSE_ALARMS[label])] ?? 0
})

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
for (const [at, label] of learned.entries()) {
  console.log(
    label.padEnd(8),
    LANGUAGES.map((language) => {
      const found = (place: number): boolean => apart[place]![at]! > thresholds[at]!
      const of = scored.flatMap(([place, message]) =>
        message.language === language ? [{ place, is: examples[place]!.has[at]! }] : []
      )
      const yes = of.filter(({ is }) => is === 1)
      const no = of.filter(({ place, is }) => is === 0 && !(ALARMS.includes(label) && isAlarm(messages[place]!)))
      return (
        `${language} ${percent(yes.filter(({ place }) => found(place)).length / yes.length)} / ` +
        `${percent(no.filter(({ place }) => found(place)).length / no.length)}`
      )
    }).join("  ")
  )
}
if (ALARMS.every((label) => learned.includes(label)))
  console.log(
    "any alarm",
    LANGUAGES.map((language) => {
      const found = (place: number): boolean =>
        ALARMS.some((label) => apart[place]![learned.indexOf(label)]! > thresholds[learned.indexOf(label)]!)
      const of = scored.flatMap(([place, message]) =>
        message.language === language ? [{ place, is: isAlarm(message) }] : []
      )
      const yes = of.filter(({ is }) => is),
        no = of.filter(({ is }) => !is)
      return (
        `${language} ${percent(yes.filter(({ place }) => found(place)).length / yes.length)} / ` +
        `${percent(no.filter(({ place }) => found(place)).length / no.length)}`
      )
    }).join("  ")
  )

const write = ({ weights, bias }: Regression): void => {
  const sorted = [...places].toSorted(([one], [other]) => one - other)
  const hashes = Uint32Array.from(sorted, ([hash]) => hash)
  const values = new Int8Array(sorted.length * LABELS.length)
  const scale: Array<number> = []
  const biases: Array<number> = []
  for (const [label, name] of LABELS.entries()) {
    // Label by label, which packs better.
    const own = values.subarray(label * sorted.length, (label + 1) * sorted.length)
    const column = learned.indexOf(name)
    if (before !== null && column === -1) {
      scale.push(before.scale[label]!)
      biases.push(before.bias[label]!)
      const known = before.hashes.length
      own.set(sorted.map(([, place]) => (place < known ? before.values[label * known + place]! : 0)))
      continue
    }
    const learnedWeights = weights.filter((_, at) => at % learned.length === column)
    const step = learnedWeights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127
    scale.push(step)
    biases.push(bias[column]! - thresholds[column]!)
    own.set(sorted.map(([, place]) => Math.round(learnedWeights[place]! / step)))
  }
  const packed = zstdCompressSync(Buffer.concat([Buffer.from(hashes.buffer), Buffer.from(values.buffer)]), {
    params: { [constants.ZSTD_c_compressionLevel]: 19 }
  })
  const folder = new URL("../../../pipeline/safety/classifier/", import.meta.url)
  writeFileSync(new URL("weights.bin.zst", folder), packed)
  const parameters = { learned_from: digestOfTraining(), scale, bias: biases }
  writeFileSync(new URL("weights.json", folder), `${JSON.stringify(parameters, null, 2)}\n`)
  console.log(`${sorted.length} features written, ${(packed.byteLength / 1024).toFixed(0)} KiB`)
}
write(regress(examples, places.size, learned.length))
