import { fromBuffer, type Entry } from "yauzl"

/** The files of a ZIP, by their paths. */
export const readZip = (bytes: Buffer): Promise<ReadonlyMap<string, Buffer>> =>
  new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, strictFileNames: true }, (error, zip) => {
      if (error !== null) return reject(error)
      const files = new Map<string, Buffer>()
      zip.on("error", reject)
      zip.on("end", () => resolve(files))
      zip.on("entry", (entry: Entry) =>
        zip.openReadStream(entry, (error, stream) => {
          if (error !== null) return reject(error)
          const parts: Array<Buffer> = []
          stream.on("error", reject)
          stream.on("data", (part: Buffer) => parts.push(part))
          stream.on("end", () => {
            files.set(entry.fileName, Buffer.concat(parts))
            zip.readEntry()
          })
        })
      )
      zip.readEntry()
    })
  })
