import { Anchor, Divider, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { GroupTag } from '../../../components/display/tag-lists.tsx';
import { Loaded, Loading } from '../../../components/layout/list-states.tsx';
import { logKeys, readUser } from '../calls.ts';

/** The account of an entry, as far as the user may see it. */
export function UserCard({ id }: { readonly id: number }) {
  const { t } = useTranslation();
  const user = useQuery({
    queryKey: logKeys.part('user', id),
    queryFn: ({ signal }) => readUser(id, signal),
  });
  return (
    <Stack gap={6} w={240} p={6}>
      <Loaded query={user} loading={<Loading lines={4} />}>
        {(account) => (
          <>
            <Group justify="space-between" wrap="nowrap">
              <Text fw={600} truncate>
                {account.username}
              </Text>
              <GroupTag group={account.group} />
            </Group>
            <Fact name={t('log.account.balance')}>
              <QuotaText units={account.quota} isPrivate />
            </Fact>
            <Fact name={t('log.account.used')}>
              <QuotaText units={account.used_quota} />
            </Fact>
            <Fact name={t('log.account.requests')}>{account.request_count.toLocaleString()}</Fact>
            <Anchor component={Link} size="sm" to={`/user/edit/${account.id}`}>
              {t('log.account.open')}
            </Anchor>
          </>
        )}
      </Loaded>
      <Divider />
    </Stack>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="sm">{children}</Text>
    </Group>
  );
}
