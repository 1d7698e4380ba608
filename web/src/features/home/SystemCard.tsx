import { Card, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FullTime } from '../../components/display/RelativeTime.tsx';
import { StateTag } from '../../components/display/StatusBadge.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { Loading } from '../../components/layout/list-states.tsx';
import { type Reading, statusReading } from '../../lib/site/status.ts';

/** The gateway's name, version and status. */
export function SystemCard() {
  const { t } = useTranslation();
  const { data: reading } = useQuery(statusReading);
  const status = reading?.status;
  return (
    <Card padding="md" component="section" aria-label={t('home.system')}>
      <Group justify="space-between" mb={status ? 'sm' : 0}>
        <Title order={2} fz={14}>
          {t('home.system')}
        </Title>
        {reading && <State reading={reading} />}
      </Group>
      {reading === undefined && <Loading lines={1} />}
      {status && (
        <Group gap="xl">
          <Fact label={t('home.version')}>{status.version}</Fact>
          <Fact label={t('home.started')}>
            <FullTime at={status.start_time} />
          </Fact>
          {(status.self_use_mode_enabled || status.demo_site_enabled) && (
            <Fact label={t('home.mode')}>
              <Group gap={6}>
                {status.self_use_mode_enabled && <Tag tone="violet">{t('shell.selfUse')}</Tag>}
                {status.demo_site_enabled && <Tag tone="teal">{t('shell.demo')}</Tag>}
              </Group>
            </Fact>
          )}
        </Group>
      )}
    </Card>
  );
}

function State({ reading: { problem } }: { readonly reading: Reading }) {
  const { t } = useTranslation();
  return (
    <div role="status">
      {problem === undefined ? (
        <StateTag tone="green">{t('home.state.up')}</StateTag>
      ) : (
        <StateTag tone="red" shape="warning">
          {t(problem.kind === 'unreachable' ? 'home.state.unreachable' : 'home.state.failed')}
        </StateTag>
      )}
    </div>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  );
}
