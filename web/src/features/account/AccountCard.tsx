import { Avatar, Card, Group, SimpleGrid, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isSuperAdmin } from '../../../../src/domain/roles.ts';
import { QuotaText } from '../../components/display/QuotaText.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { GroupTag, RoleTag } from '../../components/display/tag-lists.tsx';
import { Loaded } from '../../components/layout/list-states.tsx';
import { usePrivacy } from '../../lib/display/privacy.ts';
import type { Self } from './calls.ts';

export function AccountCard({ query }: { readonly query: UseQueryResult<Self> }) {
  const { t } = useTranslation();
  return (
    <Card component="section" aria-label={t('account.card')}>
      <Loaded query={query}>{(self) => <Facts self={self} />}</Loaded>
    </Card>
  );
}

function Facts({ self }: { readonly self: Self }) {
  const { t } = useTranslation();
  const isHidden = usePrivacy();
  const { id, username, display_name, role, group, quota, used_quota, request_count } = self;
  const name = isHidden ? '•••' : display_name || username;
  return (
    <>
      <Group gap="sm" wrap="nowrap">
        <Avatar color="iris" variant="filled" radius="xl" size={44} alt="">
          {isHidden ? '•' : [...name][0]?.toUpperCase()}
        </Avatar>
        <div style={{ minWidth: 0 }}>
          <Group gap={6}>
            <Title order={2} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Title>
            {isSuperAdmin(role) ? (
              <Tag tone="violet">{t('account.administrator')}</Tag>
            ) : (
              <RoleTag role={role} />
            )}
            <GroupTag group={group} />
          </Group>
          <Text size="sm" c="dimmed" truncate>
            {isHidden ? '•••' : username} · ID {id}
          </Text>
        </div>
      </Group>
      <SimpleGrid cols={3} spacing="xs" mt="md">
        <Figure title={t('account.balance')}>
          <QuotaText units={quota} isPrivate />
        </Figure>
        <Figure title={t('account.spent')}>
          <QuotaText units={used_quota} isPrivate />
        </Figure>
        <Figure title={t('account.requests')}>{request_count.toLocaleString('en-US')}</Figure>
      </SimpleGrid>
    </>
  );
}

function Figure({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <Text component="div" fz={20} fw={600} truncate>
        {children}
      </Text>
    </div>
  );
}
