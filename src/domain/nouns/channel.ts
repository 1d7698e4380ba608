/**
 * The columns of a channel that administrators write. API, store, export, commands, dashboard and
 * console derive their fields from this table.
 */
import { columnNames, type NounColumn } from './columns.ts';

export type ChannelSection = 'basics' | 'connection' | 'models' | 'routing' | 'transform' | 'cost';

export interface ChannelColumn extends NounColumn {
  /** The part of the console's form. */
  readonly section: ChannelSection;
  /** In the short forms of the dashboard. */
  readonly isCommon?: true;
}

const text = <S extends ChannelSection>(section: S, most: number) =>
  ({ kind: 'text', section, most, default: '' }) as const;
const json = <S extends ChannelSection>(section: S) =>
  ({ kind: 'json', section, default: '' }) as const;
const number = <S extends ChannelSection>(section: S, least: number, most: number) =>
  ({ kind: 'number', section, least, most, default: 0 }) as const;

const COMMON = { isCommon: true, isAlwaysExported: true } as const;

export const CHANNEL = {
  name: { kind: 'text', section: 'basics', most: 191, flag: '--name <name>', ...COMMON },
  /** Number of a channel type. */
  type: { kind: 'number', section: 'basics', default: 1, flag: '--type <type>', ...COMMON },
  base_url: { ...text('connection', 512), flag: '--base-url <url>', isCommon: true },
  models: { kind: 'list', section: 'models', flag: '--models <names>', ...COMMON },
  group: {
    kind: 'list',
    section: 'routing',
    default: 'default',
    flag: '--groups <names>',
    ...COMMON,
  },
  priority: { ...number('routing', -999, 1_000_000_000), flag: '--priority <n>', ...COMMON },
  weight: { ...number('routing', 0, 1_000_000), flag: '--weight <n>', ...COMMON },
  tag: { ...text('routing', 64), flag: '--tag <tag>', isCommon: true },
  model_prefix: { ...text('routing', 64), flag: '--prefix <text>' },
  model_mapping: { ...json('transform'), flag: '--mapping <json>' },
  status_code_mapping: { ...json('transform'), flag: '--status-mapping <json>' },
  /** What the upstream charges: `factor` on the list price, `rates` by model; empty if unknown. */
  cost: json('cost'),
  param_override: { ...json('transform'), flag: '--param-override <json>' },
  setting: { ...json('transform'), flag: '--setting <json>' },
  system_prompt: { ...text('transform', 100_000), flag: '--system-prompt <text>' },
  /** Longer prompts (estimated) are routed to other channels; 0 means no limit. */
  max_input_tokens: {
    ...number('transform', 0, 1_000_000_000),
    flag: '--max-input-tokens <n>',
  },
  test_model: { ...text('routing', 255), flag: '--test-model <model>', isCommon: true },
  auto_ban: {
    kind: 'switch',
    section: 'routing',
    default: 1,
    flag: '--auto-ban <switch>',
    isAlwaysExported: true,
  },
  openai_organization: { ...text('connection', 191), flag: '--organization <id>' },
  /** API version, region, account id: additional data that the type needs. */
  other: { ...text('connection', 20_000), flag: '--other <text>' },
} as const satisfies Readonly<Record<string, ChannelColumn>>;

export type ChannelColumnName = keyof typeof CHANNEL;

/** The columns of a part of the form. */
export function columnsOfSection<S extends ChannelSection>(section: S) {
  type Name = { [N in ChannelColumnName]: (typeof CHANNEL)[N]['section'] extends S ? N : never };
  return columnNames(CHANNEL).filter(
    (name): name is Name[ChannelColumnName] => CHANNEL[name].section === section,
  );
}
