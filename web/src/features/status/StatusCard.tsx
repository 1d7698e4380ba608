import { Card, DataList, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { dateTimeText, zoneName } from '../../lib/dates.ts';
import { useIsPhone } from '../../lib/screen.ts';
import type { Reading, Status } from '../../lib/status.ts';
import { StateBadge, type Tone } from '../../parts/StateBadge.tsx';

type State = 'up' | 'unset' | 'failed' | 'unreachable';

const TONES: Record<State, Tone> = {
  up: 'green',
  unset: 'yellow',
  failed: 'red',
  unreachable: 'red',
};

function stateOf(status: Status, problem: Reading['problem']): State {
  if (problem) return problem.kind === 'unreachable' ? 'unreachable' : 'failed';
  return status.setup ? 'up' : 'unset';
}

interface StatusCardProps {
  readonly status: Status;
  /** Why the newest attempt brought nothing; the facts are then those last heard. */
  readonly problem: Reading['problem'];
}

export function StatusCard({ status, problem }: StatusCardProps) {
  const { t } = useTranslation();
  const state = stateOf(status, problem);
  return (
    <Card withBorder radius="md" padding="lg">
      <Group justify="space-between" mb="lg">
        <Title order={2}>{t('status.gateway')}</Title>
        <div role="status">
          <StateBadge tone={TONES[state]}>{t(`status.state.${state}`)}</StateBadge>
        </div>
      </Group>
      <Facts status={status} />
    </Card>
  );
}

function Facts({ status }: { readonly status: Status }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const facts = [
    { label: t('status.version'), value: status.version },
    {
      label: t('status.started'),
      value: <span title={zoneName()}>{dateTimeText(status.start_time)}</span>,
    },
    { label: t('status.baseUrl'), value: <Address>{`${window.location.origin}/v1`}</Address> },
  ];
  return (
    <DataList
      size="md"
      withDivider
      labelWidth="10em"
      orientation={isPhone ? 'vertical' : 'horizontal'}
    >
      {facts.map(({ label, value }) => (
        <DataList.Item key={label}>
          <DataList.ItemLabel>{label}</DataList.ItemLabel>
          <DataList.ItemValue>{value}</DataList.ItemValue>
        </DataList.Item>
      ))}
    </DataList>
  );
}

/** Long host names break rather than widen the card. */
function Address({ children }: { readonly children: string }) {
  return (
    <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Text>
  );
}

/** The card's outline while its facts are on their way. */
export function StatusCardSkeleton() {
  const { t } = useTranslation();
  return (
    <Card withBorder radius="md" padding="lg" role="status" aria-label={t('status.loading')}>
      <Stack gap="lg">
        <Group justify="space-between">
          <Skeleton height={18} width={90} />
          <Skeleton height={26} width={84} radius="xl" />
        </Group>
        <Skeleton height={14} width="35%" />
        <Skeleton height={14} width="60%" />
        <Skeleton height={14} width="70%" />
      </Stack>
    </Card>
  );
}
