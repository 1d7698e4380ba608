import { Anchor, Box, Checkbox, Group, Radio, Stack, Switch, Text } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { MODEL_ENDPOINTS } from '../../../../src/domain/channels/model-endpoints.ts';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { RatioTag } from '../../components/display/tag-lists.tsx';
import classes from './Pricing.module.css';
import { type BillingFilter, billingOf, counted, filteredRows, OTHER_VENDOR } from './rows.ts';
import type { PricingState } from './usePricingPage.ts';

/** The list's filters, each option with the count it would leave. */
export function PriceFilters({ prices }: { readonly prices: PricingState }) {
  const { t } = useTranslation();
  const { state, set, isNarrowed, reset } = prices;
  return (
    <aside className={classes.rail} aria-label={t('part.filter.title')}>
      <Stack gap="md">
        <Switch
          label={t('pricing.usableOnly')}
          checked={state.usable}
          onChange={(event) => set({ usable: event.currentTarget.checked })}
        />
        <Groups prices={prices} />
        <BillingTypes prices={prices} />
        <Endpoints prices={prices} />
        <Vendors prices={prices} />
        {isNarrowed && (
          <Anchor size="md" component="button" type="button" fz={13} ta="start" onClick={reset}>
            {t('part.clearFilters')}
          </Anchor>
        )}
      </Stack>
    </aside>
  );
}

function Groups({ prices: { list, all, group, set } }: { readonly prices: PricingState }) {
  const { t } = useTranslation();
  return (
    <Radio.Group
      label={t('common.group')}
      description={t('pricing.group.hint')}
      value={group}
      onChange={(next) => set({ group: next, page: 1 })}
    >
      <Stack gap={6} mt={8}>
        {Object.entries(list?.group_ratio ?? {}).map(([name, ratio]) => {
          const label = list?.usable_group[name] ?? name;
          const count = all.filter(({ entry }) => entry.enable_groups.includes(name)).length;
          return (
            <Choice key={name} count={count} extra={<RatioTag ratio={ratio} />}>
              <Radio value={name} label={name} title={label} />
            </Choice>
          );
        })}
      </Stack>
    </Radio.Group>
  );
}

const BILLINGS: readonly BillingFilter[] = ['', 'tokens', 'call'];

function BillingTypes({
  prices: { all, narrowing, state, set },
}: {
  readonly prices: PricingState;
}) {
  const { t } = useTranslation();
  const rows = filteredRows(all, narrowing, 'billing');
  const counts = counted(rows, ({ entry }) => billingOf(entry));
  return (
    <Radio.Group
      label={t('pricing.billing')}
      value={state.billing || 'any'}
      onChange={(next) => set({ billing: BILLINGS.find((one) => one === next) ?? '' })}
    >
      <Stack gap={6} mt={8}>
        {BILLINGS.map((billing) => (
          <Choice key={billing} count={billing === '' ? rows.length : (counts.get(billing) ?? 0)}>
            <Radio value={billing || 'any'} label={t(`pricing.billing.${billing || 'any'}`)} />
          </Choice>
        ))}
      </Stack>
    </Radio.Group>
  );
}

function Vendors({ prices: { all, narrowing, state, set } }: { readonly prices: PricingState }) {
  const { t } = useTranslation();
  const counts = counted(filteredRows(all, narrowing, 'vendor'), ({ vendor }) => vendor);
  return (
    <Several
      label={t('pricing.vendor')}
      counts={counts}
      chosen={state.vendor}
      onChosen={(vendor) => set({ vendor })}
      nameOf={(vendor) => (vendor === OTHER_VENDOR ? t('pricing.vendor.other') : vendor)}
    />
  );
}

function Endpoints({ prices: { all, narrowing, state, set } }: { readonly prices: PricingState }) {
  const { t } = useTranslation();
  const counts = counted(filteredRows(all, narrowing, 'endpoint'), ({ endpoint }) => endpoint);
  const nameOf = (endpoint: string) => {
    const known = MODEL_ENDPOINTS.find((one) => one === endpoint);
    return known === undefined ? endpoint : t(`pricing.endpoint.${known}`);
  };
  return (
    <Several
      label={t('common.endpoint')}
      counts={counts}
      chosen={state.endpoint}
      onChosen={(endpoint) => set({ endpoint })}
      nameOf={nameOf}
    />
  );
}

interface SeveralProps {
  readonly label: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly string[]) => void;
  readonly nameOf: (value: string) => string;
}

/** Checkboxes of a multiple choice; a checked option stays listed even if it matches nothing. */
function Several({ label, counts, chosen, onChosen, nameOf }: SeveralProps) {
  const id = useId();
  const all = new Map([...counts, ...chosen.map((one) => [one, counts.get(one) ?? 0] as const)]);
  if (all.size === 0) return null;
  return (
    <div>
      <Text fw={600} id={id}>
        {label}
      </Text>
      <Checkbox.Group aria-labelledby={id} value={[...chosen]} onChange={onChosen}>
        <Stack gap={6} mt={8}>
          {[...all].map(([value, count]) => (
            <Choice key={value} count={count}>
              <Checkbox value={value} label={nameOf(value)} />
            </Choice>
          ))}
        </Stack>
      </Checkbox.Group>
    </div>
  );
}

interface ChoiceProps {
  readonly count: number;
  readonly extra?: ReactNode;
  readonly children: ReactNode;
}

function Choice({ count, extra, children }: ChoiceProps) {
  return (
    <Group gap={6} wrap="nowrap">
      <Box flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Box>
      {extra}
      <Dimmed>{count}</Dimmed>
    </Group>
  );
}
