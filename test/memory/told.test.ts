import { assert, describe, it } from "vitest"
import { factsIn } from "#pipeline/relational/rules/facts.ts"
import { forgetRequestIn } from "#pipeline/relational/rules/forgetRequest.ts"
import { loopsOf } from "#pipeline/relational/rules/loops.ts"
import { NEW_RELATIONSHIP } from "#pipeline/relational/Relationship.ts"
import { turnOf } from "#test/support/conversation/turns.ts"
import { listener, measureFacts, relationshipOf, utterancesOf } from "./tell.ts"
import { chatSet, talkSet, toldSet } from "./toldSets.ts"

const textsOf = (...said: ReadonlyArray<string>): ReadonlyArray<string> =>
  factsIn(
    said.map((text, n) => ({
      role: text.startsWith("< ") ? "character" : "user",
      text: text.replace(/^< /, ""),
      cursor: n + 1,
      at: new Date(0)
    }))
  )
    .filter(({ attribute }) => attribute === "statement")
    .map(({ text }) => text)

describe("facts told in natural ways", () => {
  for (const half of ["development", "held-out"] as const)
    it(`are stored, and little else is (${half})`, () => {
      const measured = toldSet(half).map(measureFacts)
      const sum = (of: "told" | "stored" | "memories" | "silly") => measured.reduce((total, one) => total + one[of], 0)
      assert.isAtLeast(sum("stored") / sum("told"), 0.9)
      assert.isBelow(sum("silly") / sum("memories"), 0.05)
    })

  for (const [half, stored, silly] of [
    ["development", 0.9, 0.05],
    ["held-out", 0.8, 0.25]
  ] as const)
    it(`are told apart from jokes, quotations and plans of others in whole conversations (${half})`, () => {
      const measured = Array.from(talkSet(half), ({ person }) => measureFacts(person))
      const sum = (of: "told" | "stored" | "memories" | "silly") => measured.reduce((total, one) => total + one[of], 0)
      assert.isAtLeast(sum("stored") / sum("told"), stored)
      assert.isBelow(sum("silly") / sum("memories"), silly)
    })

  for (const [half, stored, silly] of [
    ["development", 0.9, 0.05],
    ["held-out", 0.85, 0.15]
  ] as const)
    it(`are stored from everyday chats, and moods, banter and remarks are not (${half})`, () => {
      const measured = chatSet(half).map(measureFacts)
      const sum = (of: "told" | "stored" | "memories" | "silly") => measured.reduce((total, one) => total + one[of], 0)
      assert.isAtLeast(sum("stored") / sum("told"), stored)
      assert.isBelow(sum("silly") / sum("memories"), silly)
    })

  it("are kept in words that can be understood on their own", () => {
    assert.deepStrictEqual(textsOf("my sister Nadia plays the cello", "she's in Leipzig now"), [
      "my sister Nadia plays the cello",
      "my sister Nadia's in Leipzig now"
    ])
    assert.deepStrictEqual(textsOf("< So what do you do?", "welder"), ["my work: welder"])
    assert.deepStrictEqual(textsOf("allergic to nuts btw"), ["I'm allergic to nuts"])
  })

  it("take the names of relatives and pets from words in lower case, and no other words for names", () => {
    assert.deepStrictEqual(textsOf("my brother jan died in april"), ["my brother Jan died in april"])
    assert.deepStrictEqual(textsOf("my mum works nights", "my boss quit", "my dog is smarter than us"), [
      "my mum works nights",
      "my boss quit",
      "my dog is smarter than us"
    ])
    const named = (...said: ReadonlyArray<string>) =>
      factsIn(
        said.map((text, n) => ({
          role: text.startsWith("< ") ? "character" : "user",
          text: text.replace(/^< /, ""),
          cursor: n + 1,
          at: new Date(0)
        }))
      )
        .filter(({ attribute }) => attribute === "name")
        .map(({ subject, value }) => `${subject} ${value}`)
    assert.deepStrictEqual(named("my dog rusty hates snow"), ["dog Rusty"])
    assert.deepStrictEqual(named("o meu filho estuda em lisboa", "chama-se duarte, tem 18 anos"), ["son Duarte"])
    assert.deepStrictEqual(named("i live with my mum", "< What is your mother called?", "lol alice, shes sound"), [
      "mother Alice"
    ])
  })

  it("name who 'we' and what 'them' are", () => {
    assert.deepStrictEqual(textsOf("my husband Ron was from Hull", "we met in Blackpool"), [
      "my husband Ron was from Hull",
      "we met in Blackpool (my husband Ron)"
    ])
    assert.include(textsOf("I have 14 raised beds now", "my brother built them").at(-1), "(I have 14 raised beds now)")
  })

  it("are about both people of a sentence that names two", () => {
    assert.deepStrictEqual(textsOf("my brother and I don't speak"), ["my brother and I don't speak"])
  })

  it("are none in questions, commands, quotations, wishes and mere talk", () => {
    for (const text of [
      "do you like my dog?",
      "write me a poem about my dog",
      '"I have a yacht", said the man',
      "if I had a dog I'd call him Rex",
      "I wish I had a garden",
      "I think you're right",
      "I love how you say that",
      "sorry I'm late",
      "I'm tired",
      "i asked if you got caught",
      "company for who.",
      "i'm not cross i'm bored",
      "aight im out",
      "Marijke would have laughed"
    ])
      assert.deepStrictEqual(textsOf(text), [], text)
  })

  it("read pronouns without apostrophes", () => {
    assert.deepStrictEqual(textsOf("my sister Nadia plays the cello", "shes in Leipzig now"), [
      "my sister Nadia plays the cello",
      "my sister Nadia's in Leipzig now"
    ])
    assert.deepStrictEqual(textsOf("our twins are six", "theyre in the school choir"), [
      "our twins are six",
      "our twins are in the school choir"
    ])
  })

  it("are none in jokes, exaggerations, opinions of others about the person, and moods of a moment", () => {
    for (const text of [
      "my dad says i'm a disaster in the kitchen",
      "my best friend thinks I'm crazy",
      "i'd probably faint on stage",
      "id eat the whole cake",
      "we'd all be famous",
      "i'm so tired i could sleep on a fence",
      "my shoes are killing me",
      "allergic to mornings",
      "I'm a secret agent lol jk",
      "i feel terrible",
      "i'm lonely tonight",
      "my back hurts today",
      "i'll call him tomorrow"
    ])
      assert.deepStrictEqual(textsOf(text), [], text)
    assert.deepStrictEqual(textsOf("I'd been a nurse before that", "my gp says I have asthma"), [
      "I'd been a nurse before that",
      "my gp says I have asthma"
    ])
    assert.lengthOf(textsOf("my son is in hospital today"), 1)
  })

  it("are none in images, remarks and moods without anything that lasts, in any language", () => {
    for (const text of [
      "bro i got a story",
      "my boss is literally satan",
      "i can barely see straight",
      "just got in from work",
      "my wife is my boss lol",
      "i have two left feet",
      "my cat is sitting on my keyboard",
      "in my country we say: slow dog catches no bone",
      "my hairdresser's son got arrested",
      "part of me wants to stay",
      "estou com uma fome",
      "estou no autocarro",
      "a minha mãe diz que eu trabalho demais",
      "tengo mucho sueño",
      "mi hermana cree que eres un robot",
      "mir ist so langweilig heute",
      "bin grad erst heimgekommen",
      "meine katze sitzt auf der tastatur"
    ])
      assert.deepStrictEqual(textsOf(text), [], text)
  })

  it("are read from sentences without a pronoun in Portuguese and Spanish", () => {
    for (const text of [
      "costumava correr maratonas até que parti o pé",
      "trabalhava num banco mas despediram-me em janeiro",
      "não sei nadar",
      "dejé de fumar hace dos años",
      "de pequeño tocaba el piano"
    ])
      assert.deepStrictEqual(textsOf(text), [text])
  })

  it("are read from what a question takes as given", () => {
    assert.deepStrictEqual(textsOf("Did I tell you that my son Gerald is coming for Easter with the twins?"), [
      "my son Gerald is coming for Easter with the twins"
    ])
    assert.deepStrictEqual(textsOf("is it odd that I still live with my parents?"), ["I still live with my parents"])
    assert.deepStrictEqual(textsOf("what can I cook for my husband, who's vegan?"), ["my husband's vegan"])
    assert.deepStrictEqual(textsOf("did I tell you what my brother said?"), [])
  })

  it("are told of several by 'they', even if somebody was named before them", () => {
    assert.deepStrictEqual(
      textsOf("my son Gerald is coming for Easter with the twins", "they are four").at(-1),
      "the twins are four"
    )
  })

  it("are put right by who corrects a detail, and the wrong one is kept no longer", () => {
    const kept = (...lines: ReadonlyArray<string>) => {
      const said = utterancesOf({
        language: "en",
        name: "",
        questions: [],
        script: [],
        lines: Array.from(lines, (text) => ({ by: "person", text, facts: null }))
      })
      return [...relationshipOf(said, "en").memories.values()]
        .filter(({ status }) => status === "active")
        .map(({ text }) => text)
    }
    assert.deepStrictEqual(kept("we move in on the 14th", "sorry, the 15th not the 14th"), ["we move in on the 15th"])
    assert.deepStrictEqual(
      kept("I have a cat", "she's fourteen", "No wait, she's fifteen, not fourteen. Her birthday was last week."),
      ["I have a cat", "my cat's fifteen"]
    )
    assert.deepStrictEqual(kept("my exam is on Monday", "wait, I mean Tuesday"), ["my exam is on Tuesday"])
  })

  it("are none in plans of people around the person, unless they change a life", () => {
    assert.deepStrictEqual(textsOf("my colleague wants to buy a boat", "my flatmate might get a parrot"), [])
    assert.lengthOf(textsOf("my best mate Femi is getting married in Lagos next year"), 1)
    assert.lengthOf(textsOf("my daughter wants me to move in with her"), 1)
  })

  it("are not told of strangers as if they were relatives", () => {
    assert.deepStrictEqual(textsOf("my sister Nadia plays the cello", "Karen is always late.", "shes from Hull"), [
      "my sister Nadia plays the cello"
    ])
  })

  it("are taken back by who says that it was a joke", () => {
    assert.deepStrictEqual(textsOf("I own a castle in Wales", "just kidding. I live in Leeds"), ["I live in Leeds"])
    const said = utterancesOf({
      language: "en",
      name: "",
      questions: [],
      script: [],
      lines: ["I own a castle in Wales", "kidding lol", "I live in Leeds"].map((text) => ({
        by: "person",
        text,
        facts: null
      }))
    })
    const kept = [...relationshipOf(said, "en").memories.values()].filter(({ status }) => status === "active")
    assert.deepStrictEqual(
      kept.map(({ text }) => text),
      ["I live in Leeds"]
    )
  })
})

describe("a request to forget", () => {
  it("names what to forget, or everything", () => {
    assert.deepStrictEqual(forgetRequestIn("please forget what I told you about Callum"), {
      about: "Callum",
      everything: false
    })
    assert.isTrue(forgetRequestIn("forget everything you know about me")?.everything)
    assert.isNotNull(forgetRequestIn("vergiss bitte, dass ich in Kassel wohne"))
  })

  it("is not read from what only sounds like one", () => {
    for (const text of ["don't forget my birthday", "forget it", "I always forget my keys", "never forget me"])
      assert.isNull(forgetRequestIn(text), text)
  })
})

describe("a day", () => {
  const opened = (text: string) =>
    loopsOf(
      {
        sessionId: "ses_1",
        turnIndex: 1,
        character: listener,
        endUser: turnOf({}).endUser,
        outcome: "replied",
        history: [],
        message: { role: "user", text, cursor: 1, at: new Date("2026-03-04T12:00:00Z") },
        reply: null,
        at: new Date("2026-03-04T12:00:00Z")
      },
      NEW_RELATIONSHIP
    ).loops_open.map(({ text }) => text)

  it("in the past opens no loop, and one in the future does", () => {
    assert.deepStrictEqual(opened("I broke my arm on Monday"), [])
    assert.deepStrictEqual(opened("I got laid off on Monday"), [])
    assert.deepStrictEqual(opened("I have an interview on Thursday"), ["I have an interview on Thursday"])
    assert.deepStrictEqual(opened("I've got an exam on Friday"), ["I've got an exam on Friday"])
  })
})
