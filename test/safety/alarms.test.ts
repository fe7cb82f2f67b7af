import { assert, describe, it } from "vitest"
import { alarmIn } from "#pipeline/safety/alarm.ts"
import { dangerIn } from "#pipeline/safety/crisis.ts"
import { effortOf } from "#test/support/effort/effortOf.ts"

const sentence =
  "We met at the station and walked along the river, then she told me about the new flat and her neighbours. "

describe("a hostile text", () => {
  it.each([
    ["one word over and over", "i "],
    ["the beginning of a phrase", "took a whole "],
    ["letters set apart", "k i l l "],
    ["stars", "*k1*a "],
    ["quotation marks", '"“„«'],
    ["line breaks", "\n"],
    ["surrogates", "\ud83d"],
    ["a word without an end", "a"]
  ])("of %s is read to its end", (_, piece) =>
    assert.doesNotThrow(() => alarmIn(piece.repeat(Math.ceil(32_000 / piece.length))))
  )
})

describe("a long text", () => {
  it("of 32,000 characters costs less than 50 ms of CPU", async () => {
    const texts = [1, 2, 3].map((n) => `${n} ${sentence.repeat(400)}`.slice(0, 32_000))
    const efforts: Array<number> = []
    for (const text of texts) efforts.push((await effortOf(() => alarmIn(text))).effortMs)
    assert.isBelow(Math.min(...efforts), 50)
  })
  it.each([
    ["beginning", 0],
    ["middle", 150],
    ["end", 299]
  ])("is read at its %s", (_, place) => {
    const text = Array.from({ length: 300 }, (_, at) => (at === place ? "i want to kill myself. " : sentence)).join("")
    assert.strictEqual(alarmIn(text)?.kind, "self")
  })
  it.each(["je veux mourir", "chcę umrzeć", "死にたい", "lethal dose"])(
    "is read in its middle for %s, which the classifier does not know",
    (cry) => {
      const text = `${sentence.repeat(150)}${cry}. ${sentence.repeat(150)}`
      assert.strictEqual(dangerIn(text)?.kind, "self")
    }
  )
  it("that is harmless triggers no alarm", () => assert.isNull(alarmIn(sentence.repeat(300))))
})

describe("a disguised message", () => {
  it.each([
    "i want to k i l l m y s e l f",
    "k.i.l.l m.y.s.e.l.f",
    "i want to d1e",
    "I WANNA DIEEEE",
    "i wnat to die",
    "i want to ki\u200bll myself",
    "ｉ ｗａｎｔ ｔｏ ｄｉｅ",
    "i want to k*ll myself",
    "su1c1d3 is all i think about",
    "ich moechte sterben",
    "ICH WILL STERBEN",
    "kiero morirme",
    "ME QUIERO MORIR",
    "não quero viver",
    "nao quero viver",
    "i  w a n t  t o  d i e",
    "i.want.to.die",
    "5uicide is all i think about",
    "su!cide is the only way out for me",
    "i c h  w i l l  s t e r b e n",
    "ich w!ll 5terben",
    "q u i e r o  m o r i r",
    "me quiero m4t4r",
    "q.u.e.r.o m.o.r.r.e.r"
  ])("is understood: %s", (text) => assert.strictEqual(alarmIn(text)?.kind, "self"))
  it.each(["i want to die", "ich will sterben", "me quiero morir", "quero me matar"])(
    "reveals its language: %s",
    (text) => {
      assert.include(["en", "de", "es", "pt"], alarmIn(text)?.language)
    }
  )
})

describe("a crisis that is not named", () => {
  it.each([
    "when u read this its too late",
    "wenn du das liest is es eh zu spät",
    "q mi mama no entre al baño despues, mis hijos no me encuentren",
    "n entrem no banheiro, liguem antes pra policia",
    "ive run out of reasons. even the stupid ones",
    "keine gründe mehr gefunden",
    "not one reason left to live",
    "solo gasto oxigeno",
    "im just takin up space n air",
    "pronto voy a estar con mi bebe en el cielo",
    "logo vou ta com meu pai la em cima",
    "q altura precisa pra ter certeza, de q andar é garantido",
    "how many stories till its certain",
    "arrumei a corda e o banquinho",
    "stuhl strick brief. alles fertig",
    "last msg. be good ok",
    "soy un error, ahora lo corrijo",
    "the voices say jump n im so tired of saying no to them",
    "n chama ninguem. qnd vc ler isso ja vai ser tarde",
    "i daydream about being gone"
  ])("is understood: %s", (text) => assert.strictEqual(alarmIn(text)?.kind, "self"))
  it.each([
    "if u read this first put the oven on",
    "dont come in the bathroom im dyeing my hair",
    "no reasons left to skip the gym",
    "no reason to stay in that job",
    "no reason to live in london, rent is insane",
    "sin motivos para seguir con esa serie",
    "waste of time that meeting",
    "nehm den platz weg, du hund",
    "soon at the top, nice view up here",
    "which floor r u on",
    "o cinto aperta depois do jantar",
    "last message before takeoff",
    "die stimmen in dem chor sind wahnsinn"
  ])("is not seen in a harmless message: %s", (text) => assert.isNull(alarmIn(text)))
})

describe("the quoted words of a relative", () => {
  it.each([
    'my aunt: "when i die i want everyone to wear pink", classic her',
    "meine oma: „wenn ich tot bin erbst du die uhr“ haha",
    'mi suegra: "cuando me muera me van a extrañar", siempre igual',
    'minha mãe: "quero morrer de vergonha" kkk',
    "my nan keeps saying 'when i'm dead you can have the clock' and she runs marathons",
    "meine oma sagt immer 'wenn ich tot bin erbst du die uhr' haha",
    "mi abuela siempre dice 'el día que me muera venden la casa' y está como un roble",
    "minha vó vive dizendo 'quando eu morrer o relógio é teu' e tá mais forte que eu"
  ])("about their death are no alarm: %s", (text) => assert.isNull(alarmIn(text)))
  it("are an alarm if they threaten the writer", () =>
    assert.strictEqual(alarmIn('my dad: "i will kill you tonight", and he has the knife')?.kind, "danger"))
  it("do not hide what the writer says", () =>
    assert.strictEqual(alarmIn('my boss: "great work" but i want to die')?.kind, "self"))
  it("do not hide what follows in the writer's own words", () =>
    assert.strictEqual(alarmIn("my mum says 'don't be so dramatic' but i want to kill myself")?.kind, "self"))
})
