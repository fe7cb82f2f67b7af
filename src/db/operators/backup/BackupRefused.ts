import * as Data from "effect/Data"

/** A file that is not a complete, unchanged backup, or one that cannot be restored here. The message is one line. */
export class BackupRefused extends Data.TaggedError("BackupRefused")<{ readonly message: string }> {}
