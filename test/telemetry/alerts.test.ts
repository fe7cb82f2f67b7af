import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { assert, describe, it } from "vitest"
import { page, ROOT } from "#test/support/sources/docs.ts"

const read = (path: string) => readFileSync(resolve(ROOT, path), "utf8")
const rules = read("deploy/prometheus/rules.yml")
const dashboard: { readonly panels: ReadonlyArray<{ targets?: ReadonlyArray<{ expr: string }> }> } = JSON.parse(
  read("deploy/grafana/troupe.json")
)
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name)
const documented = new Set(
  [...page("docs/operate/metrics.md").matchAll(/`((?:troupe|process)_[a-z0-9_]+)`/g)].map(([, name]) => name)
)
/** Metrics that an expression reads, without the suffixes of histograms. */
const readBy = (expressions: string): ReadonlyArray<string> =>
  [...expressions.matchAll(/\b(?:troupe|process)_[a-z0-9_]+\b/g)]
    .map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ""))
    .filter((name) => name !== "troupe_build_info")

describe("the alerts", () => {
  it("each have a section in the runbook, which has no others", () => {
    const sections = [...page("docs/operate/runbook.md").matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
    assert.deepStrictEqual(sections, alerts)
    const linked = [...rules.matchAll(/runbook: docs\/operate\/runbook\.md#(\w+)/g)].map(([, anchor]) => anchor)
    assert.deepStrictEqual(
      linked,
      alerts.map((name) => name.toLowerCase())
    )
  })

  it("and the dashboard read only metrics that are documented", () => {
    const used = [
      ...readBy([...rules.matchAll(/expr: (.*)/g)].map(([, expr]) => expr).join("\n")),
      ...readBy(dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join("\n"))
    ]
    assert.isAbove(used.length, 40)
    assert.deepStrictEqual(
      [...new Set(used)].filter((name) => !documented.has(name)),
      []
    )
  })
})
