/**
 * The columns of a channel that administrators write. API, store, export, commands, dashboard and
 * console derive their fields from this table.
 */
import { columnNames, type NounColumn } from './columns.ts';

export interface ChannelColumn extends NounColumn {
  /** The part of the console's form. */
  readonly section: 'basics' | 'connection' | 'models' | 'routing' | 'transform' | 'cost';
  /** In the short forms of the dashboard. */
  readonly isCommon?: true;
}

const TEXT = { kind: 'text', default: '' } as const;
const OBJECT = { kind: 'json', default: '' } as const;
const NUMBER = { kind: 'number', least: 0, default: 0 } as const;
const COMMON = { isCommon: true, isAlwaysExported: true } as const;

export const CHANNEL = {
  name: { kind: 'text', most: 191, flag: '--name <name>', section: 'basics', ...COMMON },
  /** Number of a row of `CHANNEL_TYPES`. */
  type: { kind: 'number', default: 1, flag: '--type <type>', section: 'basics', ...COMMON },
  base_url: {
    ...TEXT,
    most: 512,
    flag: '--base-url <url>',
    section: 'connection',
    isCommon: true,
  },
  models: { kind: 'list', flag: '--models <names>', section: 'models', ...COMMON },
  group: {
    kind: 'list',
    default: 'default',
    flag: '--groups <names>',
    section: 'routing',
    ...COMMON,
  },
  priority: {
    ...NUMBER,
    least: -999,
    most: 1_000_000_000,
    flag: '--priority <n>',
    section: 'routing',
    ...COMMON,
  },
  weight: { ...NUMBER, most: 1_000_000, flag: '--weight <n>', section: 'routing', ...COMMON },
  tag: { ...TEXT, most: 64, flag: '--tag <tag>', section: 'routing', isCommon: true },
  model_prefix: { ...TEXT, most: 64, flag: '--prefix <text>', section: 'routing' },
  model_mapping: { ...OBJECT, flag: '--mapping <json>', section: 'transform' },
  status_code_mapping: { ...OBJECT, flag: '--status-mapping <json>', section: 'transform' },
  /** What the upstream charges: `factor` on the list price, `rates` by model; empty if unknown. */
  cost: { ...OBJECT, section: 'cost' },
  param_override: { ...OBJECT, flag: '--param-override <json>', section: 'transform' },
  setting: { ...OBJECT, flag: '--setting <json>', section: 'transform' },
  system_prompt: {
    ...TEXT,
    most: 100_000,
    flag: '--system-prompt <text>',
    section: 'transform',
  },
  /** Longer prompts (estimated) are routed to other channels; 0 means no limit. */
  max_input_tokens: {
    ...NUMBER,
    most: 1_000_000_000,
    flag: '--max-input-tokens <n>',
    section: 'transform',
  },
  test_model: {
    ...TEXT,
    most: 255,
    flag: '--test-model <model>',
    section: 'routing',
    isCommon: true,
  },
  auto_ban: {
    kind: 'switch',
    default: 1,
    flag: '--auto-ban <switch>',
    section: 'routing',
    isAlwaysExported: true,
  },
  openai_organization: {
    ...TEXT,
    most: 191,
    flag: '--organization <id>',
    section: 'connection',
  },
  /** API version, region, account id: additional data that the type needs. */
  other: { ...TEXT, most: 20_000, flag: '--other <text>', section: 'connection' },
} as const satisfies Readonly<Record<string, ChannelColumn>>;

export type ChannelColumnName = keyof typeof CHANNEL;

type Section = ChannelColumn['section'];

/** The columns of a part of the form. */
export function columnsOfSection<S extends Section>(section: S) {
  type Name = { [N in ChannelColumnName]: (typeof CHANNEL)[N]['section'] extends S ? N : never };
  return columnNames(CHANNEL).filter(
    (name): name is Name[ChannelColumnName] => CHANNEL[name].section === section,
  );
}
