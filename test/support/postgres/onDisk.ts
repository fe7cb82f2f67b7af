import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Runs this with a folder on a disk of this size. Only root may mount one. */
export const onDisk = async (kilobytes: number, use: (disk: string) => Promise<void>): Promise<void> => {
  const disk = mkdtempSync(join(tmpdir(), "troupe-disk-"))
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k,mode=0755`, "tmpfs", disk])
  try {
    await use(disk)
  } finally {
    execFileSync("umount", ["--lazy", disk])
    rmSync(disk, { recursive: true, force: true })
  }
}
