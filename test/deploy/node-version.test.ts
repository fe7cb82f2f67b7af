import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

type Version = readonly [number, number, number]
const versionOf = (text: string): Version => {
  const [major = 0, minor = 0, patch = 0] = text.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : 0))
  return [major, minor, patch]
}
const compare = (a: Version, b: Version): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

/** Whether a comparator such as `>=22.19.0`, `^24.0.0`, `<21` or `20.x` accepts a version. */
const accepts = (comparator: string, version: Version): boolean => {
  const [, operator = "", text = ""] = /^([<>=^]*)(.*)$/.exec(comparator) ?? []
  const order = compare(version, versionOf(text))
  if (text === "*" || text === "") return true
  if (operator === ">=") return order >= 0
  if (operator === "<") return order < 0
  if (operator === "^" || operator === "") return order >= 0 && version[0] === versionOf(text)[0]
  return assert.fail(`an unknown comparator: ${comparator}`)
}
const supports = (range: string, version: Version): boolean =>
  range.split("||").some((part) =>
    part
      .replaceAll(/([<>=^]) +/g, "$1")
      .trim()
      .split(/ +/)
      .every((comparator) => accepts(comparator, version))
  )

interface Package {
  readonly engines?: { readonly node?: string }
  readonly optional?: boolean
}
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  readonly packages: Readonly<Record<string, Package>>
}
const promised = packages[""]?.engines?.node ?? assert.fail("no version is promised")

describe("the promised version of Node", () => {
  it("is one that every package supports, so that npm ci warns of none", () => {
    const versions = promised.split("||").map((part) => versionOf(part.replaceAll(/[^\d.]/g, "")))
    assert.isNotEmpty(versions)
    for (const [name, { engines, optional }] of Object.entries(packages))
      for (const version of versions)
        assert.isTrue(
          optional === true || supports(engines?.node ?? "*", version),
          `${name} needs ${engines?.node}, but ${version.join(".")} is promised`
        )
  })

  it("is the same in package.json, package-lock.json and the README", () => {
    assert.strictEqual(JSON.parse(readFileSync("package.json", "utf8")).engines.node, promised)
    const readme = readFileSync("README.md", "utf8")
    for (const part of promised.split("||")) {
      const [major, minor] = versionOf(part.replaceAll(/[^\d.]/g, ""))
      assert.include(readme, minor === 0 ? `${major}` : `${major}.${minor}`)
    }
  })
})
