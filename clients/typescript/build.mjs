// Builds dist/ with the compiler of the repository, or with one that is installed beside it.
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const here = import.meta.dirname
const found = createRequire(import.meta.url).resolve("typescript5/package.json")
rmSync(join(here, "dist"), { recursive: true, force: true })
execFileSync(process.execPath, [join(dirname(found), "bin/tsc"), "-p", here], { stdio: "inherit" })
