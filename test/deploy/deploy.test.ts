import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { assert, describe, it } from "vitest"
import { parseAllDocuments } from "yaml"
import { documentedSettings, example, ROOT } from "#test/support/sources/docs.ts"

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")
const files = readdirSync(join(ROOT, "deploy"), { recursive: true, encoding: "utf8" })
  .map((name) => `deploy/${name.replaceAll("\\", "/")}`)
  .filter((path) => !path.endsWith("/.env"))
const parse = (path: string): ReadonlyArray<any> =>
  parseAllDocuments(read(path), { merge: true }).map((document) => {
    assert.deepStrictEqual([...document.errors, ...document.warnings], [], path)
    return document.toJS()
  })
const manifests = files.filter((path) => /^deploy\/kubernetes\/.*\.yaml$/.test(path)).flatMap(parse)
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind)
const compose = parse("deploy/compose.yaml")[0]
const unit = read("deploy/troupe.service")
const containerfile = read("deploy/Containerfile")

/** Variables of other programs. */
const OTHERS: ReadonlySet<string> = new Set(["HOME", "NODE_COMPILE_CACHE", "POSTGRES_PASSWORD", "UPSTREAM"])
const unknown = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const settings = documentedSettings()
  assert.isNotEmpty(names)
  return names.filter((name) => !settings.has(name) && !OTHERS.has(name))
}
const matches = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, found = ""]) => found)

/** A port of the image, by the name that manifests give it. */
const PORTS = { http: 8080, operations: 9464 } as const

describe("what deploy/ has", () => {
  it("is valid YAML", () => {
    const yaml = files.filter((path) => /\.ya?ml$/.test(path))
    assert.includeMembers([...yaml], ["deploy/compose.yaml", "deploy/kubernetes/api.yaml"])
    for (const path of yaml) assert.isNotEmpty(parse(path), path)
  })

  it("sets only variables that the server knows", () => {
    const named = [
      ...matches(read("deploy/.env.example"), /^([A-Z]\w*)=/gm),
      ...matches(unit, /^Environment=(\w+)=/gm),
      ...matches(containerfile.match(/^ENV .*$/m)?.[0] ?? "", /([A-Z]\w*)=/g),
      ...matches(read("deploy/Caddyfile"), /\{\$(\w+)/g),
      ...Object.values<any>(compose.services).flatMap(({ environment = {} }) => Object.keys(environment)),
      ...ofKind("ConfigMap").flatMap(({ data }) => Object.keys(data)),
      ...ofKind("Deployment").flatMap((one) => one.spec.template.spec.containers[0].env.map((set: any) => set.name))
    ]
    assert.deepStrictEqual(unknown(named), [])
    assert.deepStrictEqual(unknown(["DATABSE_URL"]), ["DATABSE_URL"])
  })

  it("names only files that exist", () => {
    const [exec = ""] = matches(unit, /^ExecStart=(.*)$/gm)
    const inImage = matches(containerfile, /"\/app\/([^"]+)"/g)
    const composed = compose.services.migrate.build.dockerfile
    const paths = [...matches(exec, /\/opt\/troupe\/(\S+)/g), ...inImage, composed]
    assert.includeMembers(paths, ["bin/troupe.mjs", "deploy/healthcheck.mjs", "deploy/Containerfile"])
    for (const path of paths) assert.isTrue(existsSync(join(ROOT, path)), path)
  })
})

describe("the image", () => {
  it("is built from everything that the server needs", () => {
    const kept = matches(read(".dockerignore"), /^!(.*)$/gm)
    assert.includeMembers(
      [...kept],
      ["bin", "channels", "migrations", "patches", "pipeline", "src", "package-lock.json"]
    )
    for (const path of kept.filter((path) => !path.includes("*"))) assert.isTrue(existsSync(join(ROOT, path)), path)
  })

  it("exposes the ports that its settings listen on", () => {
    const env = containerfile.match(/^ENV .*$/m)?.[0] ?? ""
    assert.include(env, `PORT=${PORTS.http} `)
    assert.include(env, `OPERATIONS_PORT=${PORTS.operations}`)
    assert.include(containerfile, `EXPOSE ${PORTS.http} ${PORTS.operations}\n`)
    assert.strictEqual(compose.services.proxy.environment.UPSTREAM, `api:${PORTS.http}`)
  })
})

describe("the compose file", () => {
  it("gives the processes a role of their own, and not the superuser", () => {
    const { database, api, worker, migrate } = compose.services
    const [, mounted] = database.volumes
    assert.strictEqual(mounted, "./database.sql:/docker-entrypoint-initdb.d/database.sql:ro")
    const script = read("deploy/database.sql")
    for (const { environment } of [api, worker, migrate]) {
      const { username, password, pathname } = new URL(environment.DATABASE_URL)
      assert.deepStrictEqual([password, environment.PGPASSWORD], ["", database.environment.POSTGRES_PASSWORD])
      assert.notStrictEqual(username, database.environment.POSTGRES_USER ?? "postgres")
      assert.include(script, `create role ${username} login nosuperuser nocreatedb nocreaterole `)
      assert.include(script, `create database ${pathname.slice(1)} owner ${username};`)
    }
    assert.include(script, "alter role postgres password null;")
  })
})

describe("the unit for systemd", () => {
  it.skipIf(spawnSync("systemd-analyze", ["--version"]).status !== 0)("is valid to systemd itself", () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-unit-"))
    try {
      const path = join(folder, "troupe.service")
      writeFileSync(path, unit.replaceAll("/opt/troupe", ROOT))
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", path], { encoding: "utf8" })
      assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe("the manifests for Kubernetes", () => {
  const pods = [...ofKind("Deployment"), ...ofKind("Job")].map(({ spec }) => spec.template)

  it("run every process without rights, on a read-only root", () => {
    assert.lengthOf(pods, 3)
    for (const { spec } of pods) {
      assert.isTrue(spec.securityContext.runAsNonRoot)
      const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = spec.containers[0].securityContext
      assert.deepStrictEqual(
        [allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities],
        [false, true, { drop: ["ALL"] }]
      )
    }
  })

  it("probe ports and paths that the process has", () => {
    const sources = ["src/http/server/healthRoutes.ts", "src/http/operators/OperationsListener.ts"].map(read)
    for (const deployment of ofKind("Deployment")) {
      const [container] = deployment.spec.template.spec.containers
      const ports = Object.fromEntries(container.ports.map((port: any) => [port.name, port.containerPort]))
      const hasApi = container.env.some(({ value }: any) => value === "api")
      assert.deepStrictEqual(ports, hasApi ? PORTS : { operations: PORTS.operations })
      for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
        const { path, port } = container[probe].httpGet
        assert.property(ports, port)
        for (const source of sources) assert.include(source, JSON.stringify(path))
      }
    }
  })

  it("select pods that exist", () => {
    const labels = ofKind("Deployment").map(({ spec }) => spec.template.metadata.labels)
    assert.deepStrictEqual(
      ofKind("Deployment").map(({ spec }) => spec.selector.matchLabels),
      labels
    )
    assert.deepStrictEqual(
      ofKind("PodDisruptionBudget").map(({ spec }) => spec.selector.matchLabels),
      labels
    )
    assert.deepInclude(labels, ofKind("Service")[0].spec.selector)
  })
})

describe("the network policies for Kubernetes", () => {
  const policies: ReadonlyArray<any> = ofKind("NetworkPolicy").map(({ spec }) => spec)
  const deployments = ofKind("Deployment").map(({ spec }) => spec.template)
  const appliesTo = ({ podSelector }: any, { labels }: any) =>
    Object.entries(podSelector.matchLabels).every(([name, value]) => labels[name] === value)

  it("close every pod, except for who is named and on ports that the pod has", () => {
    assert.isNotEmpty(deployments)
    for (const { metadata, spec } of deployments) {
      const own = policies.filter((policy) => appliesTo(policy, metadata))
      assert.includeMembers(
        own.flatMap(({ policyTypes }) => policyTypes),
        ["Ingress", "Egress"]
      )
      const rules = own.flatMap(({ ingress }) => ingress)
      for (const { from } of rules) assert.isNotEmpty(from)
      assert.sameMembers(
        rules.flatMap(({ ports }) => ports.map(({ port }: any) => port)),
        spec.containers[0].ports.map(({ name }: any) => name)
      )
    }
  })

  it("let pods reach the private network for names and the database only", () => {
    for (const { to, ports } of policies.flatMap(({ egress = [] }) => egress)) {
      if (to === undefined) {
        for (const { port } of ports) assert.include([53, 5432], port)
        continue
      }
      const [ipv4, ipv6] = to.map(({ ipBlock }: any) => ipBlock.except)
      assert.includeMembers(ipv4, ["10.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"])
      assert.includeMembers(ipv6, ["fc00::/7", "fe80::/10"])
    }
  })
})

describe("the page about deployment", () => {
  const commands = readdirSync(join(ROOT, "src/commands"), { recursive: true, encoding: "utf8" }).map((path) =>
    basename(path)
  )
  it.each(["container", "compose", "systemd", "kubernetes", "proxy"])(
    "names what exists in its block: %s",
    (marker) => {
      const text = example(marker)
      for (const path of matches(text, /(?<![\w/.-])(deploy\/[\w./-]*\w)/g).filter((path) => path !== "deploy/.env"))
        assert.isTrue(existsSync(join(ROOT, path)), path)
      for (const name of matches(text, /(?:troupe\.mjs|\bapi) (\w+) /g)) assert.include(commands, `${name}Command.ts`)
    }
  )
})
