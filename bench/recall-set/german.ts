import type { Life } from "./Life.ts"

export const german: Life = {
  locale: "de",
  person: "Jonas",
  character: "Ilka",
  episodes: [
    [
      ["hi, ich bin Jonas. neu hier", "Hallo Jonas. Setz dich irgendwo hin.", "name"],
      ["ich bin Imker, also hauptberuflich", "Dann summt es bei dir auch im Kopf.", "job-imker"]
    ],
    [
      ["mein Bruder Ruben ist Feuerwehrmann", "Einer, der rennt, wenn andere gehen.", "ruben-feuerwehr"],
      ["in Kassel, seit elf Jahren schon", "Da kennt er jede Treppe.", "ruben-kassel"]
    ],
    [
      ["ich hab jetzt ein Pferd. ja wirklich", "Ein ganzes?"],
      ["eine Stute, heißt Frieda und ist 22", "Eine Dame also.", "frieda"],
      ["ich hab sie von einem Zirkus, der zugemacht hat", "Dann kann sie mehr als wir.", "frieda-zirkus"]
    ],
    [
      ["Selma will ihr Abi nachholen", "Wer ist Selma?"],
      ["wir kennen uns vom Chor, sie singt Alt", "Die Tiefen halten alles zusammen.", "selma-chor"]
    ],
    [
      ["der Pachtvertrag für die Wiese läuft aus", "Wann?"],
      ["ende september, der Bauer will Mais anbauen", "Mais, immer Mais.", "pacht"]
    ],
    [
      ["Oma muss an den Augen operiert werden", "Beide?"],
      ["erst das linke, am 3. Februar in der Uniklinik", "Ich drücke die Daumen.", "oma-op"]
    ],
    [
      ["mein Opa Heinrich war Lokführer", "Dampf oder Strom?", "heinrich-lok"],
      [
        "dampf! er hat mir seine Pfeife vererbt, die von der Lok, nicht die zum Rauchen",
        "Die hört man bis ins Tal.",
        "pfeife"
      ]
    ],
    [["ich vertrag übrigens keine Erdbeeren, da krieg ich Ausschlag", "Keine Torte also.", "erdbeeren"]],
    [
      ["Frau Petzold hat mich heute angeschrien", "Warum denn?", "petzold"],
      ["sie leitet den Markt. mein Stand war zehn Zentimeter zu breit", "Zehn ganze Zentimeter!", "stand-breit"]
    ],
    [
      ["Frieda hustet seit gestern", "Staub?"],
      ["der Tierarzt meint, es ist das Heu, sie kriegt es jetzt nass", "Nasses Heu, feines Leben.", "frieda-heu"]
    ],
    [
      ["ich hab jemanden kennengelernt: Mirja", "Erzähl langsam.", "mirja"],
      ["sie baut Geigen, wir saßen im gleichen Zugabteil nach Ulm", "Und seid sitzen geblieben?", "mirja-zug"]
    ],
    [
      ["wir haben uns einen alten Hof angeschaut", "Mit Dach?"],
      ["mit halbem. soll 185.000 kosten, zwei Hektar dabei", "Ein halbes Dach ist ein Anfang.", "hof-preis"]
    ],
    [
      ["Oma sieht wieder! sie hat meine Falten gezählt", "Wie viele?"],
      ["vierzehn, sagt sie", "Sie hat gute Augen.", "oma-falten"]
    ],
    [
      ["Selma hat sich das Handgelenk gebrochen", "Beim Singen?"],
      ["nein, auf dem Eis, beim Schlittschuhlaufen mit den Neffen", "Neffen sind gefährlich.", "selma-handgelenk"]
    ],
    [
      ["wir nehmen den Hof!", "Mit dem halben Dach!"],
      ["notartermin ist der 12. märz", "Lies alles zweimal.", "notar"],
      ["Mirja bekommt die Scheune als Werkstatt", "Holz bei Holz.", "mirja-scheune"]
    ],
    [
      ["mittwochs geh ich jetzt zum Bouldern", "Klettern, aber ohne Seil?", "bouldern"],
      ["in der alten Brauerei, da riecht es noch nach Malz", "Besser als nach Füßen.", "brauerei"]
    ],
    [
      ["Ruben hört bei der Feuerwehr auf", "Nach all den Jahren?"],
      ["er macht eine Tischlerlehre, in Marburg, mit 34", "Gut, dass einer noch anfängt.", "ruben-marburg"]
    ],
    [
      ["Tarek hilft mir beim Schleudern", "Dem Honig, hoffe ich.", "tarek"],
      ["er hatte früher eine Bäckerei in Aleppo", "Dann weiß er, was früh aufstehen heißt.", "tarek-aleppo"]
    ],
    [
      ["mit Mirja ist es schwierig gerade", "Was ist los?"],
      ["sie hat ein Angebot aus Cremona, für ein Jahr", "Da wohnen die Geigen.", "mirja-cremona"]
    ],
    [
      ["eingezogen. im Bad wächst ein Farn aus der Wand", "Lass ihn, der war zuerst da."],
      ["mein Zimmer geht auf den Bach, nachts rauscht es", "Du wirst schlafen wie ein Stein darin.", "bach"]
    ],
    [
      ["nebenan wohnt Herr Okafor. er ist 77", "Und prüft er dich schon?", "okafor"],
      ["er hat mir gezeigt, wie man Dachziegel dreht", "Ein Lehrer über den Zaun.", "dachziegel"]
    ],
    [
      ["ich überleg, ob ich die Meisterprüfung mache", "Als Imker?"],
      ["ja, in Celle, dauert drei Winter", "Winter hast du genug.", "meister-celle"]
    ],
    [
      ["ich bin Onkel!!", "Ein neuer Mensch!"],
      ["die Kleine heißt Ava, 2900 Gramm", "Willkommen, Ava.", "ava"],
      ["Rubens Freundin Kathi hat im Auto schon gesungen", "Gegen die Wehen hilft alles.", "kathi-gesungen"]
    ],
    [
      ["kann wieder nicht schlafen", "Was ist es?"],
      ["das Dach. die Bank gibt mir 40.000 und ich hab Angst davor", "Schulden sind nachts größer.", "dach-kredit"]
    ],
    [
      ["Frau Petzold hört auf am Markt", "Wer macht es dann?"],
      ["sie hat mich gefragt, ob ich Sprecher werden will", "Mit zehn Zentimetern Vorsprung.", "sprecher"]
    ],
    [["hab ihr gesagt, sie kriegt im Mai eine Antwort", "Das ist fair.", "mai-antwort"]],
    [
      ["Frieda ist ausgebüxt und stand im Supermarkt", "Bei den Äpfeln?", "supermarkt"],
      ["beim Salat. 60 euro schaden", "Grün bleibt ihre Farbe.", "salat-schaden"]
    ],
    [
      ["Selma fängt wieder an, abendschule, ab august", "Mit heilem Arm?"],
      ["ja. mathe ist ihr Angstfach", "Jeder hat eins.", "selma-mathe"]
    ],
    [
      ["bouldern ist jetzt donnerstags übrigens", "Was war mittwochs?", "bouldern-donnerstag"],
      ["da ist jetzt Kinderkurs", "Kleine Affen.", "kinderkurs"]
    ],
    [
      ["meine Tante Gerda hat mir ein Boot hinterlassen", "Ein großes?"],
      ["es liegt in Waren im Schuppen, seit acht Jahren trocken", "Trocken ist ein Boot traurig.", "boot"]
    ],
    [
      ["hab zugesagt. ich werd Marktsprecher", "Dann sei milde mit den Breiten."],
      ["ab juli gehts los. bin nervös", "Nervös ist höflich.", "juli-sprecher"]
    ],
    [
      ["Tarek bleibt, will aber samstags frei", "Was macht er samstags?"],
      ["er spielt Oud in einem Café", "Lass ihn spielen.", "tarek-oud"]
    ],
    [
      ["meine Mutter hat angerufen. nach sechs Jahren", "Was wollte sie?", "mutter-anruf"],
      ["sie lebt auf Gomera und töpfert. ich soll kommen", "Und willst du?", "mutter-gomera"]
    ],
    [["ich hab ihr abgesagt, erstmal", "Erstmal ist ein gutes Wort.", "mutter-absage"]],
    [
      ["Mirja geht. im september", "Also doch Cremona.", "mirja-pause"],
      ["wir haben gesagt, wir schauen nach dem Jahr", "Ein Jahr ist eine Jahreszeit zu viel."]
    ],
    [
      ["die Scheune hab ich vermietet, an Levin. er druckt Plakate", "Tinte statt Leim.", "levin"],
      ["er zieht am 20. oktober ein", "Dann feg vorher.", "levin-datum"]
    ],
    [
      ["Selma hat bestanden!! 1,9", "Mit dem Angstfach!", "selma-note"],
      ["sie hat vor der Prüfung geweint und dann allen Kuchen gekauft", "In der richtigen Reihenfolge.", "selma-kuchen"]
    ],
    [
      ["Oma war allein im Kino", "Was lief?"],
      ["irgendwas mit Robotern, sie fand es lustig", "Gute Augen, sag ich ja.", "oma-kino"]
    ],
    [
      ["Frieda hat Arthrose sagt der Arzt", "Tut es ihr weh?"],
      ["vorne rechts. sie kriegt jeden Abend Pulver im Apfelmus", "Da freut sie sich drauf.", "arthrose"]
    ],
    [
      ["der Honig hat jetzt einen Namen: Signal Drei", "Wie bei der Bahn?", "honig-name"],
      ["genau, so hat Opa immer gepfiffen, dreimal", "Er hört es."]
    ],
    [
      ["das Hoffest ist am 9. august", "Was gibt es?", "hoffest-datum"],
      ["Fladenbrot von Tarek, und Herr Okafor grillt", "Dann komme ich hungrig.", "hoffest-essen"]
    ],
    [["hab den Überhang geschafft, einmal", "Einmal zählt.", "ueberhang"]],
    [
      ["Ruben kommt zu Pfingsten mit einem Kollegen", "Ein Bett mehr."],
      ["der heißt Anselm, ist 19 und hat panik vor Pferden", "Armer Anselm, arme Frieda.", "anselm"]
    ],
    [
      ["ich hab das Boot verkauft", "Für wie viel?"],
      ["3.200. das geht alles ins Dach", "Vom Wasser aufs Dach.", "boot-verkauft"]
    ],
    [
      ["wir haben für das Museum die alten Körbe restauriert, vier Wochen", "Für leere Bienen."],
      ["bezahlt haben sie mit einer Führung durchs Depot", "Geld ist auch nur Papier.", "museum-fuehrung"]
    ],
    [
      ["ich war doch bei meiner Mutter", "Auf der Insel?"],
      ["wir haben wenig geredet. sie hat mir eine Schale gedreht, blau", "Das war das Gespräch.", "mutter-schale"]
    ],
    [["bart ist ab", "Kalt am Kinn?", "bart"]],
    [
      ["Levin und ich haben einen Kater", "Sagt Frieda etwas dazu?"],
      ["er hat nur drei beine, also: Hocker", "Natürlich.", "hocker"]
    ],
    [
      ["die Meisterprüfung lass ich übrigens sein", "Keine Zeit?", "meister-aus"],
      ["keine zeit, und auf dem Markt fragt niemand nach dem Zettel", "Häng Honig auf.", "meister-warum"]
    ],
    [
      ["hatte Streit mit Selma", "Um Noten?"],
      [
        "um geld. ich hab ihr 450 geliehen und sie ist nach Lissabon geflogen",
        "Weit weg von der Rechnung.",
        "selma-450"
      ]
    ]
  ],
  questions: [
    { kind: "single", text: "was bin ich nochmal hauptberuflich?", answer: ["job-imker"] },
    { kind: "single", text: "von wem habe ich das Pferd bekommen?", answer: ["frieda-zirkus"] },
    { kind: "single", text: "wie alt ist meine Stute?", answer: ["frieda"] },
    { kind: "single", text: "wovon krieg ich Ausschlag?", answer: ["erdbeeren"] },
    { kind: "single", text: "was war mein Opa von Beruf, irgendwas bei der Bahn?", answer: ["heinrich-lok"] },
    { kind: "single", text: "was habe ich von Opa geerbt?", answer: ["pfeife"] },
    { kind: "single", text: "warum hat mich Frau Petzold wegen dem Stand angeschrien?", answer: ["stand-breit"] },
    { kind: "single", text: "wie hat sich Selma das Handgelenk gebrochen?", answer: ["selma-handgelenk"] },
    { kind: "single", text: "wie teuer war der Hof?", answer: ["hof-preis"] },
    { kind: "single", text: "was hat mir der alte Nachbar gezeigt?", answer: ["dachziegel"] },
    { kind: "single", text: "wo stand Frieda, als sie ausgebüxt ist?", answer: ["supermarkt"] },
    { kind: "single", text: "wo liegt das Boot von Tante Gerda?", answer: ["boot"] },
    { kind: "single", text: "wie hab ich meinen Honig genannt?", answer: ["honig-name"] },
    { kind: "single", text: "wie heißt unser Kater, und wieso?", answer: ["hocker"] },
    { kind: "single", text: "wie heißt meine Nichte nochmal?", answer: ["ava"] },
    { kind: "single", text: "wer hat im Auto gesungen, vor der Geburt?", answer: ["kathi-gesungen"] },
    { kind: "single", text: "wie hat uns das Museum bezahlt?", answer: ["museum-fuehrung"] },
    { kind: "single", text: "welche Medizin bekommt Frieda, und worin?", answer: ["arthrose"] },

    {
      kind: "multi-hop",
      text: "was macht der Feuerwehrmann aus meiner Familie jetzt, und wo?",
      answer: ["ruben-feuerwehr", "ruben-marburg"]
    },
    {
      kind: "multi-hop",
      text: "was macht die Frau aus dem Zug beruflich, und wohin geht sie?",
      answer: ["mirja-zug", "mirja-cremona"]
    },
    {
      kind: "multi-hop",
      text: "für wen war die Scheune erst gedacht, und wer hat sie jetzt?",
      answer: ["mirja-scheune", "levin"]
    },
    {
      kind: "multi-hop",
      text: "wie viel leiht mir die Bank fürs Dach, und was kam vom Boot dazu?",
      answer: ["dach-kredit", "boot-verkauft"]
    },
    {
      kind: "multi-hop",
      text: "warum heißt der Honig so? hat mit einem Erbstück von der Bahn zu tun",
      answer: ["honig-name", "pfeife"]
    },
    {
      kind: "multi-hop",
      text: "wer sorgt beim Hoffest fürs Essen, und woher kann der eine backen?",
      answer: ["hoffest-essen", "tarek-aleppo"]
    },
    { kind: "multi-hop", text: "welche Krankheiten hatte Frieda bisher?", answer: ["frieda-heu", "arthrose"] },
    {
      kind: "multi-hop",
      text: "was ist mit meiner Mutter, wo lebt sie und was hat sie für mich gemacht?",
      answer: ["mutter-gomera", "mutter-schale"]
    },
    {
      kind: "multi-hop",
      text: "in welchem Fach war Selma schlecht, und mit welcher Note ist sie durchgekommen?",
      answer: ["selma-mathe", "selma-note"]
    },
    {
      kind: "multi-hop",
      text: "wobei hilft mir Tarek, und welches Instrument spielt er?",
      answer: ["tarek", "tarek-oud"]
    },

    { kind: "temporal", text: "wann wurde Oma am Auge operiert?", answer: ["oma-op"] },
    { kind: "temporal", text: "wann waren wir beim Notar?", answer: ["notar"] },
    { kind: "temporal", text: "wo hat Ruben gearbeitet, bevor er nach Marburg ging?", answer: ["ruben-kassel"] },
    { kind: "temporal", text: "an welchem Wochentag klettere ich inzwischen?", answer: ["bouldern-donnerstag"] },
    { kind: "temporal", text: "an welchem Wochentag war das Bouldern am Anfang?", answer: ["bouldern"] },
    { kind: "temporal", text: "bis wann läuft die Pacht für die Wiese?", answer: ["pacht"] },
    { kind: "temporal", text: "wann feiern wir das Hoffest?", answer: ["hoffest-datum"] },
    { kind: "temporal", text: "seit wann ist Levin in der Scheune?", answer: ["levin-datum"] },
    { kind: "temporal", text: "ab wann bin ich Sprecher vom Markt?", answer: ["juli-sprecher"] },
    { kind: "temporal", text: "wann wollte ich Frau Petzold Bescheid geben?", answer: ["mai-antwort"] },
    { kind: "temporal", text: "in welchem Monat ist Mirja weggegangen?", answer: ["mirja-pause"] },
    { kind: "temporal", text: "will ich die Meisterprüfung noch machen?", answer: ["meister-aus"] },

    {
      kind: "pronoun",
      after: ["hab mit Ruben telefoniert", "Wie klingt er?"],
      text: "was lernt er da nochmal?",
      answer: ["ruben-marburg"]
    },
    {
      kind: "pronoun",
      after: ["Mirja hat eine Karte geschickt", "Mit einer Geige drauf?"],
      text: "wo ist sie gerade?",
      answer: ["mirja-cremona"]
    },
    {
      kind: "pronoun",
      after: ["Selma hält die Tasse immer noch mit links", "Tut es noch weh?"],
      text: "wobei ist ihr das passiert?",
      answer: ["selma-handgelenk"]
    },
    {
      kind: "pronoun",
      after: ["Herr Okafor steht schon am Zaun", "Mit Werkzeug?"],
      text: "wie alt ist er eigentlich?",
      answer: ["okafor"]
    },
    {
      kind: "pronoun",
      after: ["Frieda wartet auf ihr Abendessen", "Mit dem Guten drin?"],
      text: "worin kriegt sie das Pulver?",
      answer: ["arthrose"]
    },
    {
      kind: "pronoun",
      after: ["Levin hat Farbe an der Nase", "Welche heute?"],
      text: "was macht er da drüben in der Scheune?",
      answer: ["levin"]
    },
    {
      kind: "pronoun",
      after: ["Tarek ist heute nicht da", "Es ist Samstag."],
      text: "was spielt er da immer?",
      answer: ["tarek-oud"]
    },
    {
      kind: "pronoun",
      after: ["Anselm kommt wirklich mit", "Der Kollege vom Bruder?"],
      text: "wovor hat der Angst, weißt du noch?",
      answer: ["anselm"]
    },
    {
      kind: "pronoun",
      after: ["Oma war gestern da", "Und hat sie wieder gezählt?"],
      text: "was hat sie sich im Kino angesehen?",
      answer: ["oma-kino"]
    },
    {
      kind: "pronoun",
      after: ["ich muss Frau Petzold zurückrufen", "Wegen des Markts?"],
      text: "was hatte sie mich gefragt?",
      answer: ["sprecher"]
    },

    { kind: "neighbour", text: "wer ist Selma nochmal?", answer: ["selma-chor"] },
    { kind: "neighbour", text: "was wird aus der Wiese, wenn der Pachtvertrag ausläuft?", answer: ["pacht"] },
    { kind: "neighbour", text: "wer ist eigentlich Frau Petzold, die mich angeschrien hat?", answer: ["stand-breit"] },
    { kind: "neighbour", text: "warum hat Frieda damals gehustet?", answer: ["frieda-heu"] },
    { kind: "neighbour", text: "hatte der alte Hof ein Dach, als wir ihn angeschaut haben?", answer: ["hof-preis"] },
    { kind: "neighbour", text: "wie viele Falten hat Oma gezählt?", answer: ["oma-falten"] },
    { kind: "neighbour", text: "was war los, als es mit Mirja schwierig war?", answer: ["mirja-cremona"] },
    { kind: "neighbour", text: "wo wäre das mit der Meisterprüfung gewesen?", answer: ["meister-celle"] },
    { kind: "neighbour", text: "weshalb konnte ich nicht schlafen?", answer: ["dach-kredit"] },
    { kind: "neighbour", text: "wer macht es am Markt, wenn Frau Petzold aufhört?", answer: ["sprecher"] },
    { kind: "neighbour", text: "was hat es gekostet, dass Frieda im Supermarkt stand?", answer: ["salat-schaden"] },
    { kind: "neighbour", text: "was war mittwochs mit dem Bouldern?", answer: ["kinderkurs"] },
    { kind: "neighbour", text: "was wollte meine Mutter, als sie angerufen hat?", answer: ["mutter-gomera"] },
    { kind: "neighbour", text: "an welchem Bein hat Frieda Arthrose?", answer: ["arthrose"] },
    { kind: "neighbour", text: "was gibt es auf dem Hoffest?", answer: ["hoffest-essen"] },
    { kind: "neighbour", text: "für wie viel hab ich das Boot hergegeben?", answer: ["boot-verkauft"] },
    { kind: "neighbour", text: "warum lass ich die Meisterprüfung sein?", answer: ["meister-warum"] },
    { kind: "neighbour", text: "worum ging der Streit mit Selma?", answer: ["selma-450"] },

    { kind: "negative", text: "wie heißt meine Schwester?", answer: [] },
    { kind: "negative", text: "welche Farbe hat mein Auto?", answer: [] },
    { kind: "negative", text: "wann heiratet Selma?", answer: [] },
    { kind: "negative", text: "was ist mein Lieblingsfilm?", answer: [] },
    { kind: "negative", text: "wie viele Sprachen spreche ich?", answer: [] },
    { kind: "negative", text: "in welchem Krankenhaus wurde ich geboren?", answer: [] },
    { kind: "negative", text: "was hat mir Ruben zum Geburtstag geschenkt?", answer: [] },
    { kind: "negative", text: "wie heißt der Sohn von Tarek?", answer: [] },
    { kind: "negative", text: "für welchen Fußballverein bin ich?", answer: [] },
    { kind: "negative", text: "an welcher Schule war meine Mutter Lehrerin?", answer: [] }
  ],
  chatter: [
    ["moin. hier ist {weather}", "Dann stell Wasser auf."],
    ["eben {food} gegessen", "Und ich?"],
    ["auf dem Markt wollte heute jemand {thing} gegen Honig tauschen", "Und du hast nein gesagt?"],
    ["der Zug hatte {late} Verspätung", "Er hat einen eigenen Kalender."],
    ["lese gerade {book}, Seite {number}", "Verrat das Ende nicht."],
    ["hab ein Pferd gesehen, das aussah wie {animal}", "Jedes Pferd ist etwas anderes."],
    ["in der {street} probt nachts ein Chor", "Falsch?"],
    ["der Bruder von {friend} zieht nach {city}", "Alle ziehen um."],
    ["die wollen {number} euro für einen Schuppen in der {street}", "Mit oder ohne Mäuse?"],
    ["hab von {thing} geträumt", "Und bist aufgewacht?"],
    ["was hältst du von {topic}?", "Weniger, als ich sollte."],
    ["{friend} lässt grüßen", "Gruß zurück an {friend}."],
    ["{friend} liegt mit Grippe im Bett", "Suppe und kein Besuch."],
    ["die Mutter von {friend} hatte im {month} eine Operation an der Hüfte", "Hüften und Knie, es hört nie auf."],
    ["der Ofen ist kaputt, {number} tage bis zur reparatur", "Kaltes Brot also."],
    ["magst du {food}?", "Am richtigen Tag."],
    ["bin eine Stunde die {street} langgelaufen", "Und was gefunden?"],
    ["{friend} macht jetzt auch Abitur und redet nur davon", "Das tun sie."],
    ["wir haben bis {late} Karten gespielt", "Wer hat geschummelt?"],
    ["müde. {number} Seiten Steuer", "Der Staat liest auch langsam."],
    ["in der {street} gibt es ein neues Café", "Besser als meins?"],
    ["hab {thing} auf dem Flohmarkt gekauft", "Du brauchtest es nicht."],
    ["{friend} will im {month} nach {city}", "Dann lass {friend} fahren."],
    ["hab {thing} im Zug vergessen", "Das macht eine schöne Reise."],
    ["die Kletterhalle war zu wegen {weather}", "Nass ist nass."],
    ["haha du hättest {friend} mit {thing} sehen sollen", "Ich kann es mir denken."],
    ["{friend} kriegt {number} euro die Stunde, irre", "Zu viel oder zu wenig?"],
    ["mein Rücken tut weh, hab {thing} geschleppt", "Dann stell es ab."],
    ["eine Katze saß den ganzen Tag auf dem Bienenkasten", "Sie führt Aufsicht."],
    ["im ganzen Haus riecht es nach {food}", "Immer der Nase nach."],
    ["hab heute Honig nach {city} gefahren", "Hat er sich bedankt?"],
    ["denke an Urlaub in {city}", "Nimm mich als Stein in der Tasche mit."],
    ["am {day} ist der Tierarzt immer voll", "Tiere kennen den Kalender."],
    ["{day} ist der schlimmste Tag der Woche", "Und kommt doch wieder."],
    ["das Handy sagt {weather} für {day}", "Das sagt es jede Woche."],
    ["Streit mit dem Drucker gehabt", "Wer hat gewonnen?"],
    ["am {day} ist ein Konzert in der {street}", "Setz dich an die Tür."],
    ["ein alter Mann hat mir eine Stunde von Lokomotiven erzählt", "Er hatte Zeit."],
    ["{friend} hat einen neuen Mitbewohner, Katastrophe", "Es fängt mit dem Abwasch an."],
    ["ok ich muss los, {topic} wartet", "Lass es ein wenig warten."]
  ],
  blanks: {
    weather: ["Regen", "Nebel", "Schnee", "Wind", "endlich Sonne", "Hagel", "alles grau", "Gewitter"],
    food: ["Linsen", "Pfannkuchen", "Matjes", "Nudeln", "kalte Pizza", "Rote Bete", "Reis mit Ei", "Pflaumenkuchen"],
    thing: [
      "ein Akkordeon",
      "eine kaputte Lampe",
      "eine Kiste Schlüssel",
      "ein Schlauchboot",
      "einen Schirm",
      "eine ausgestopfte Eule",
      "einen Koffer",
      "eine Trillerpfeife",
      "eine Leiter"
    ],
    late: ["zwei", "zehn Minuten", "einer halben Stunde", "einer Stunde", "drei"],
    book: [
      "einen Krimi",
      "ein Buch über Wale",
      "mein altes Tagebuch",
      "ein Kochbuch",
      "Tschechow",
      "eine Geschichte des Salzes"
    ],
    number: ["12", "40", "7", "300", "95", "18", "560", "3"],
    animal: ["ein Schaf", "ein kleiner Bär", "ein Mopp", "ein Fuchs", "eine nasse Socke", "eine Robbe"],
    street: ["Ringstraße", "Gartengasse", "Mühlenstraße", "Hafenstraße", "Langen Reihe", "Bachgasse"],
    city: ["Dresden", "Lyon", "Oslo", "Prag", "Erfurt", "Triest", "Riga", "Kassel"],
    topic: [
      "die Bahn",
      "die Wahl",
      "das Weltall",
      "Sauerteig",
      "der Nachbar",
      "der Winter",
      "die Steuer",
      "das alte Kino"
    ],
    friend: ["Karla", "Ben", "Yusuf", "Ines", "Paul", "Svea", "Dana"],
    month: ["Januar", "April", "Juni", "November", "Dezember"],
    day: ["montag", "dienstag", "mittwoch", "freitag", "sonntag"]
  }
}
