import { parseAllowList } from "#channels/outbound/AllowList.ts"
import { need } from "./checks.ts"

export const checkAllowList = (setting: string, text: string) => {
  const read = parseAllowList(text)
  const bad = "bad" in read ? JSON.stringify(read.bad.slice(0, 80)) : ""
  return need(
    setting,
    "allow" in read ? read.allow : null,
    `must be a comma-separated list of host, host:port or CIDR (such as 10.0.0.0/8). ${bad} is invalid`
  )
}

const HOST = /^(?:\*\.)?(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,62})(?:\.[a-z0-9-]{1,63})*$/
/** Host names. A leading `*.` stands for all subdomains. */
export const checkHosts = (setting: string, text: string) => {
  const names = text
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "")
  return need<ReadonlyArray<string>>(
    setting,
    names.every((name) => HOST.test(name)) ? names : null,
    "must be a comma-separated list of hosts such as example.org or *.example.org"
  )
}
