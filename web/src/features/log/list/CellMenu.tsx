import { Anchor, Button, Divider, Group, Popover, Stack, Text } from '@mantine/core';
import { IconCopy, IconFilter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { numberText } from '../../../../../src/domain/text/number-text.ts';
import cells from '../../../components/data-table/cells.module.css';
import { copyText } from '../../../components/display/copy.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { GroupTag } from '../../../components/display/tag-lists.tsx';
import { Loaded, Loading } from '../../../components/layout/list-states.tsx';
import { Popup } from '../../../components/layout/Popup.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { logKeys } from '../../../lib/api/query-keys.ts';
import { readUser } from '../calls.ts';
import type { LogChoice } from './log-filter.ts';

/** The value of an entry on which the menu was opened. */
export interface CellValue {
  readonly patch: Partial<LogChoice>;
  readonly text: string;
  /** If set, the menu shows this account above its items. */
  readonly userId?: number;
}

export interface OpenCell extends CellValue {
  readonly anchor: DOMRect;
}

export type OnCell = (event: MouseEvent, pick: CellValue) => void;

interface CellMenuProps {
  readonly picked: OpenCell | undefined;
  readonly onClose: () => void;
  readonly onFilter: (patch: Partial<LogChoice>) => void;
}

/** Actions on a cell's value: one menu for all cells, because a page has a thousand of them. */
export function CellMenu({ picked, onClose, onFilter }: CellMenuProps) {
  const { t } = useTranslation();
  return (
    <Popup
      isOpen={picked !== undefined}
      onClose={onClose}
      position="bottom-start"
      withRoles={false}
    >
      <Popover.Target>
        <span className={cells.anchor} style={placeOf(picked)} aria-hidden />
      </Popover.Target>
      <Popover.Dropdown p={6} role="dialog" aria-label={picked?.text ?? ''}>
        {picked && (
          <Stack gap={2}>
            {picked.userId !== undefined && <UserCard id={picked.userId} />}
            <Button
              variant="subtle"
              color="gray"
              justify="flex-start"
              data-autofocus
              leftSection={<IconFilter size={16} />}
              onClick={() => {
                onFilter(picked.patch);
                onClose();
              }}
            >
              {t('log.cell.filter')}
            </Button>
            <Button
              variant="subtle"
              color="gray"
              justify="flex-start"
              leftSection={<IconCopy size={16} />}
              onClick={async () => {
                onClose();
                if (await copyText(picked.text)) toast.success(t('action.copied'));
              }}
            >
              {t('action.copy')}
            </Button>
          </Stack>
        )}
      </Popover.Dropdown>
    </Popup>
  );
}

function placeOf(picked: OpenCell | undefined) {
  if (picked === undefined) return {};
  const { left, top, width, height } = picked.anchor;
  return { left, top, width, height };
}

/** The account of an entry, as far as the user may see it. */
function UserCard({ id }: { readonly id: number }) {
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
            <Group gap="md" justify="space-between" wrap="nowrap">
              <Text size="md" fw={600} truncate>
                {account.username}
              </Text>
              <GroupTag group={account.group} />
            </Group>
            <Fact name={t('log.account.balance')}>
              <QuotaText units={account.quota} isPrivate />
            </Fact>
            <Fact name={t('common.used')}>
              <QuotaText units={account.used_quota} />
            </Fact>
            <Fact name={t('common.requests')}>{numberText(account.request_count)}</Fact>
            <Anchor component={Link} to={`/user/edit/${account.id}`}>
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
    <Group gap="md" justify="space-between" wrap="nowrap">
      <Dimmed size="sm">{name}</Dimmed>
      <Text>{children}</Text>
    </Group>
  );
}
