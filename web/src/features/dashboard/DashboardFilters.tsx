import { Group, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { Trans, useTranslation } from 'react-i18next';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { RelativeTime } from '../../components/display/RelativeTime.tsx';
import { TimeRange } from '../../components/forms/TimeRange.tsx';
import { useDraft } from '../../hooks/useDraft.ts';
import { type DashboardState, rangeWord, TIME_STEPS, type TimeStep } from './range.ts';

const UPDATED = 'dashboard.updated';

interface DashboardFiltersProps {
  readonly state: DashboardState;
  readonly step: TimeStep;
  readonly isAdmin: boolean;
  readonly onChange: (patch: Partial<DashboardState>, how?: { readonly replace?: boolean }) => void;
}

/** Time range, step and user. */
export function DashboardFilters({ state, step, isAdmin, onChange }: DashboardFiltersProps) {
  const { t } = useTranslation();
  const search = useDraft<Pick<DashboardState, 'user'>>({ user: state.user }, onChange);
  return (
    <Group gap="sm" align="flex-end" mb="sm">
      <TimeRange
        value={{
          from: state.from === '' && state.to !== '' ? '' : rangeWord(state.from, step),
          to: state.to,
        }}
        onChange={({ from, to }) => onChange({ from: from === '' ? 'all' : from, to })}
      />
      <SegmentedControl
        aria-label={t('dashboard.step')}
        value={step}
        onChange={(next) => onChange({ step: TIME_STEPS.find((one) => one === next) ?? '' })}
        data={TIME_STEPS.map((value) => ({ value, label: t(`dashboard.step.${value}`) }))}
      />
      {isAdmin && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            search.commit();
          }}
        >
          <TextInput
            w={150}
            label={t('dashboard.user')}
            placeholder={t('dashboard.user.all')}
            data-page-search
            value={search.draft.user}
            onChange={(event) => search.type({ user: event.currentTarget.value })}
          />
        </form>
      )}
      <Switch
        mb={6}
        label={t('dashboard.compare')}
        checked={state.compare}
        onChange={(event) => onChange({ compare: event.currentTarget.checked })}
      />
    </Group>
  );
}

interface FreshnessProps {
  /** Epoch ms of the data shown; 0 before the first load. */
  readonly updatedAtMs: number;
  readonly isLive: boolean;
  readonly onLive: (isLive: boolean) => void;
}

/** Room for the time of the last load, so that it moves nothing when it arrives. */
const UPDATED_PX = 130;

/** When the data was loaded, and whether it is loaded again. */
export function Freshness({ updatedAtMs, isLive, onLive }: FreshnessProps) {
  const { t } = useTranslation();
  return (
    <>
      <Dimmed miw={UPDATED_PX}>
        {updatedAtMs > 0 && (
          <Trans
            t={t}
            i18nKey={UPDATED}
            components={{ when: <RelativeTime at={Math.floor(updatedAtMs / 1000)} /> }}
          />
        )}
      </Dimmed>
      <Switch
        label={t('dashboard.live')}
        checked={isLive}
        onChange={(event) => onLive(event.currentTarget.checked)}
      />
    </>
  );
}
