import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { parseAllowList } from "#channels/outbound/AllowList.ts"
import { checkUrl } from "#channels/outbound/checkUrl.ts"
import { Unresolved } from "#channels/outbound/LookUp.ts"
import { isPublic } from "#channels/outbound/Target.ts"

const NAMES: Readonly<Record<string, ReadonlyArray<string>>> = {
  "hooks.example": ["93.184.216.34", "2606:2800:220:1::1"],
  "inside.example": ["10.1.2.3", "fd00::1"],
  "both.example": ["10.1.2.3", "93.184.216.34"],
  "metadata.google.internal": ["169.254.169.254"],
  "xn--bcher-kva.example": ["192.168.1.1"]
}

/** The response to registering this URL. */
const check = (url: string, outboundAllow = "") => {
  const read = parseAllowList(outboundAllow)
  const lookUp = (host: string) =>
    NAMES[host] === undefined ? Effect.fail(new Unresolved({ host })) : Effect.succeed(NAMES[host])
  return Effect.runPromise(
    checkUrl(
      "allow" in read ? read.allow : assert.fail(read.bad),
      lookUp
    )(url).pipe(
      Effect.as("taken"),
      Effect.catchTag("UrlRejected", (error) => {
        assert.isNotEmpty(error.message)
        if (error.reason === "scheme" || error.reason === "address") assert.include(error.fix, "OUTBOUND_ALLOW")
        return Effect.succeed(error.reason)
      })
    )
  )
}

describe("an internet address", () => {
  it.each([
    "1.1.1.1",
    "93.184.216.34",
    "172.15.0.1",
    "172.32.0.1",
    "100.63.0.1",
    "2606:4700::1111",
    "2a00:1450:4001::1"
  ])("is public: %s", (address) => {
    assert.isTrue(isPublic(address))
  })

  it.each([
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "4000::1",
    "8000::1",
    "",
    "example.com",
    "127.0.0.1.example"
  ])("is not public: %s", (address) => {
    assert.isFalse(isPublic(address))
  })
})

describe("registering a URL", () => {
  it.each([
    "https://hooks.example/x?y=z",
    "https://HOOKS.example:8443",
    "https://hooks.example./",
    "https://both.example",
    "https://1.1.1.1/",
    "https://[2606:4700::1111]/",
    "https://not-yet-known.example"
  ])("accepts %s", async (url) => {
    assert.strictEqual(await check(url), "taken")
  })

  it.each([
    ["unparsable", ""],
    ["unparsable", "hooks.example"],
    ["unparsable", "https://"],
    ["unparsable", "https://exa mple.com"],
    ["unparsable", "https://256.256.256.256"],
    ["unparsable", "https://1.2.3.4.5"],
    ["unparsable", "https://[fe80::1%25eth0]/"],
    ["scheme", "http://hooks.example"],
    ["scheme", "http://not-yet-known.example"],
    ["scheme", "ftp://hooks.example"],
    ["scheme", "file://host/etc/passwd"],
    ["scheme", "gopher://127.0.0.1"],
    ["scheme", "ws://hooks.example"],
    ["userinfo", "https://user@hooks.example"],
    ["userinfo", "https://user:password@hooks.example"],
    ["userinfo", "https://:password@hooks.example"],
    ["userinfo", "https://hooks.example:443@127.0.0.1"],
    ["address", "https://127.0.0.1"],
    ["address", "http://127.0.0.1"],
    ["address", "http://2130706433"],
    ["address", "https://2130706433"],
    ["address", "https://0x7f.1"],
    ["address", "https://0x7f000001"],
    ["address", "https://0177.0.0.1"],
    ["address", "https://017700000001"],
    ["address", "https://127.1"],
    ["address", "https://127.0.1"],
    ["address", "https://127.0.0.1."],
    ["address", "https://①②⑦.⓪.⓪.①"],
    ["address", "https://127。0。0。1"],
    ["address", "https://%31%32%37.0.0.1"],
    ["address", "https://0"],
    ["address", "https://0.0.0.0"],
    ["address", "https://[::]"],
    ["address", "https://[::1]"],
    ["address", "https://[0:0:0:0:0:0:0:1]:8443"],
    ["address", "https://[::ffff:127.0.0.1]"],
    ["address", "https://[::ffff:7f00:1]"],
    ["address", "https://[::ffff:8.8.8.8]"],
    ["address", "https://[64:ff9b::127.0.0.1]"],
    ["address", "https://[2002:7f00:1::]"],
    ["address", "https://[2001:0:7f00:1::]"],
    ["address", "https://[fd00::1]"],
    ["address", "https://[fe80::1]"],
    ["address", "https://169.254.169.254/latest/meta-data"],
    ["address", "https://10.0.0.1"],
    ["address", "https://100.64.0.1"],
    ["address", "https://localhost"],
    ["address", "https://LOCALHOST."],
    ["address", "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ"],
    ["address", "https://anything.localhost:8443"],
    ["address", "https://inside.example"],
    ["address", "http://inside.example"],
    ["address", "https://inside.example."],
    ["address", "https://metadata.google.internal/computeMetadata/v1"],
    ["address", "https://bücher.example"]
  ])("refuses, as %s: %s", async (reason, url) => {
    assert.strictEqual(await check(url), reason)
  })

  it.each([
    ["inside.example", "http://inside.example", "taken"],
    ["INSIDE.example.", "https://inside.example:8443", "taken"],
    ["inside.example:8080", "http://inside.example:8080", "taken"],
    ["inside.example:8080", "http://inside.example", "address"],
    ["inside.example:80", "http://inside.example", "taken"],
    ["inside.example:443", "https://inside.example", "taken"],
    ["inside.example", "https://other.inside.example", "taken"],
    ["inside.example", "http://other.inside.example", "scheme"],
    ["hooks.example", "http://hooks.example", "taken"],
    ["10.0.0.0/8", "https://inside.example", "taken"],
    ["10.0.0.0/8", "http://inside.example", "taken"],
    ["10.0.0.0/8", "http://10.9.9.9:3000", "taken"],
    ["10.0.0.0/8", "http://11.9.9.9:3000", "scheme"],
    ["10.0.0.0/8", "https://192.168.0.1", "address"],
    ["10.0.0.0/8:3000", "http://10.9.9.9:3000", "taken"],
    ["10.0.0.0/8:3000", "http://10.9.9.9", "address"],
    ["fd00::/8", "https://inside.example", "taken"],
    ["127.0.0.1", "http://2130706433", "taken"],
    ["127.0.0.1", "http://localhost:8080", "taken"],
    ["127.0.0.1", "http://[::ffff:127.0.0.1]", "taken"],
    ["127.0.0.1:9", "http://127.0.0.1:10", "address"],
    ["[::1]:8080", "http://[::1]:8080", "taken"],
    ["::1", "http://[::1]:8080", "taken"],
    ["localhost", "http://localhost:8080", "taken"],
    ["localhost", "http://127.0.0.1:8080", "address"],
    [" hooks.example , 10.0.0.0/8 ,", "http://10.0.0.1", "taken"],
    ["inside.example", "http://user@inside.example", "userinfo"],
    ["0.0.0.0/0", "ftp://inside.example", "scheme"]
  ])("with OUTBOUND_ALLOW=%s answers %s with %s", async (outboundAllow, url, answer) => {
    assert.strictEqual(await check(url, outboundAllow), answer)
  })
})

describe("OUTBOUND_ALLOW", () => {
  it.each([
    "*",
    "*.example",
    "https://hooks.example",
    "host:0",
    "host:70000",
    "host:port",
    "10.0.0.0/33",
    "10.0.0.0/8/8",
    "::/129",
    "[::1",
    "a b",
    "10.0.0.256",
    "127.1",
    "0x7f.0.0.1",
    "-x",
    "host/8"
  ])("reports an invalid value: %s", (entry) => {
    assert.deepStrictEqual(parseAllowList(`good.example, ${entry}`), { bad: entry })
  })
})
