/** Parses a metrics exposition like a scraper and rejects invalid ones. */
export interface Scrape {
  /** Value of one sample; undefined if there is none. Labels may be in any order. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
  /** Sum of all samples with this name and at least these labels. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
  /** Kinds of the metric families, by name. */
  readonly kinds: ReadonlyMap<string, string>;
  readonly samples: readonly ScrapedSample[];
}

export interface ScrapedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\["\\n])*)"(,|$)/y;

export function readScrape(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const kinds = new Map<string, string>();
  const samples: ScrapedSample[] = [];
  const seen = new Set<string>();
  for (const line of text.trimEnd().split('\n')) {
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line);
    if (type !== null) {
      const [, name = '', kind = ''] = type;
      if (kinds.has(name)) throw new Error(`${name} comes twice`);
      kinds.set(name, kind);
      continue;
    }
    if (line.startsWith('# HELP ') || line === '# EOF') continue;
    const found = SAMPLE.exec(line);
    if (found === null) throw new Error(`no sample: ${line}`);
    const [, name = '', labels = '', value = ''] = found;
    if (seen.has(`${name}{${labels}}`)) throw new Error(`${name}{${labels}} comes twice`);
    seen.add(`${name}{${labels}}`);
    samples.push({
      name,
      labels: labelsIn(labels, line),
      value: Number(value.replace('+Inf', '')),
    });
  }
  const having = (name: string, wanted: Readonly<Record<string, string>>) =>
    samples.filter(
      (sample) =>
        sample.name === name &&
        Object.entries(wanted).every(([label, value]) => sample.labels[label] === value),
    );
  return {
    kinds,
    samples,
    value: (name, labels = {}) => having(name, labels)[0]?.value,
    sum: (name, labels = {}) =>
      having(name, labels).reduce((total, sample) => total + sample.value, 0),
  };
}

function labelsIn(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const found = LABEL.exec(text);
    if (found === null) throw new Error(`no labels: ${line}`);
    const [, name = '', value = ''] = found;
    labels[name] = value.replaceAll(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign));
  }
  return labels;
}
