import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert } from "vitest"
import { freePort } from "#test/support/freePort.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { runTroupe, startTroupe } from "#test/support/TroupeProcess.ts"
import { until } from "#test/support/until.ts"
import { findPrometheus } from "./findPrometheus.ts"

/**
 * Checks and tests the shipped rules with promtool, and lets a real Prometheus scrape a server under load for a minute.
 * It is run by `npm run test:prometheus`, because it takes longer than a test should.
 */

const DEPLOY = resolve(import.meta.dirname, "../../deploy/prometheus")
const SECONDS = Number(process.env["SECONDS_UNDER_LOAD"] ?? 60)

const programs = findPrometheus()
if (programs === null) {
  console.log("skipped: Prometheus is not installed, and Debian's package cannot be fetched")
  process.exit(0)
}
const { prometheus, promtool } = programs
const check = (args: ReadonlyArray<string>, input = "") =>
  execFileSync(promtool, args, { cwd: DEPLOY, input, stdio: ["pipe", "inherit", "inherit"] })
check(["check", "rules", "rules.yml"])
check(["check", "config", "prometheus.yml"])
check(["test", "rules", "rules.test.yml"])

const folder = await mkdtemp(join(tmpdir(), "troupe-prometheus-"))
const [port, web] = [await freePort(), await freePort()]
const env = { DATA_DIR: join(folder, "data"), OPERATIONS_PORT: String(port), MESSAGES_PER_MINUTE: "1000000" }
const server = await startTroupe(env)
await writeFile(
  join(folder, "prometheus.yml"),
  JSON.stringify({
    global: { scrape_interval: "5s", evaluation_interval: "5s" },
    rule_files: [join(DEPLOY, "rules.yml")],
    scrape_configs: [{ job_name: "troupe", static_configs: [{ targets: [`127.0.0.1:${port}`] }] }]
  })
)
const scraper = spawn(
  prometheus,
  [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "tsdb")}`,
    `--web.listen-address=127.0.0.1:${web}`,
    "--log.level=error"
  ],
  { stdio: "inherit" }
)
type Result = ReadonlyArray<{ readonly metric: Record<string, string>; readonly value: readonly [number, string] }>
const ask = async (path: string) => {
  const answer = await fetch(`http://127.0.0.1:${web}/api/v1/${path}`)
  return ((await answer.json()) as { data: any }).data
}
const query = async (expr: string): Promise<Result> => (await ask(`query?query=${encodeURIComponent(expr)}`)).result
const value = async (expr: string) => Number((await query(expr))[0]?.value[1])

try {
  await until("the first scrape", async () => (await value('up{job="troupe"}').catch(() => 0)) === 1)
  const { api_key, app_id } = JSON.parse((await runTroupe(env, ["app", "create", "load"])).stdout)
  const app = new TestApp(server.baseUrl, app_id, api_key)
  const sessions = await Promise.all(Array.from({ length: 8 }, () => app.createSession()))
  const endAt = Date.now() + SECONDS * 1000
  await Promise.all(
    sessions.map(async (session) => {
      while (Date.now() < endAt) await app.converse(session, "What is for dinner?")
    })
  )
  const figures = {
    "scrapes that failed": await value('count_over_time(up{job="troupe"}[1m]) - sum_over_time(up{job="troupe"}[1m])'),
    "messages accepted per second": await value("sum(rate(troupe_accept_seconds_count[30s]))"),
    "accept p99 in seconds": await value(
      "histogram_quantile(0.99, sum by (le) (rate(troupe_accept_seconds_bucket[30s])))"
    ),
    "replies per second": await value('sum(rate(troupe_turns_total{outcome="replied"}[30s]))'),
    "time of a scrape in seconds": await value("max_over_time(scrape_duration_seconds[1m])"),
    series: await value("scrape_samples_scraped")
  }
  console.table(figures)
  assert.strictEqual(figures["scrapes that failed"], 0)
  assert.isAbove(figures["messages accepted per second"], 0)
  assert.isAbove(figures["replies per second"], 0)
  assert.isBelow(figures.series, 2_000)
  const { groups } = await ask("rules")
  for (const { name, health, lastError } of groups.flatMap(({ rules }: { rules: ReadonlyArray<any> }) => rules))
    assert.strictEqual(health, "ok", `${name}: ${lastError}`)
  const critical = (await query('ALERTS{alertstate="firing",severity="critical"}')).map(({ metric }) => metric)
  assert.deepStrictEqual(critical, [], "critical alerts of a server without problems")
  const { body } = await (async () => ({ body: await (await fetch(`http://127.0.0.1:${port}/metrics`)).text() }))()
  check(["check", "metrics"], body)
} finally {
  scraper.kill("SIGTERM")
  await once(scraper, "exit")
  await server.stop("SIGTERM")
  await rm(folder, { recursive: true, force: true })
}
