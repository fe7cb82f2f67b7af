import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const ROOT = resolve(import.meta.dirname, "../../..")

/** The files of an earlier version, and the commit that they are of. */
export interface OlderTree {
  readonly folder: string
  readonly commit: string
  readonly remove: () => void
}

const git = (...args: ReadonlyArray<string>): string | null => {
  try {
    return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return null
  }
}

/**
 * The version just before a migration was added, with the packages of the present one. A text: why there is none, such
 * as in a shallow clone, which does not have the commit.
 */
export const openTreeBefore = (migration: string): OlderTree | string => {
  const added = git("log", "--diff-filter=A", "--format=%H", "--", `migrations/${migration}`)
  const commit = git("rev-parse", "--verify", "--quiet", `${added?.split("\n").at(-1) ?? ""}~1^{commit}`)
  if (added === null || added === "" || commit === null)
    return `the commit before ${migration} is not in this clone: run "git fetch --unshallow"`
  const folder = mkdtempSync(join(tmpdir(), "troupe-older-"))
  const archive = join(folder, "tree.tar")
  const tree = join(folder, "tree")
  execFileSync("git", ["archive", "--prefix=tree/", `--output=${archive}`, commit], { cwd: ROOT })
  execFileSync("tar", ["-xf", archive, "-C", folder])
  symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"))
  return { folder: tree, commit, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
