import { Button, Menu } from '@mantine/core';
import { IconBan, IconChevronDown, IconEraser, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATUS } from '../../../../../src/domain/statuses.ts';
import { confirm } from '../../../components/layout/confirm.tsx';
import { say } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { redemptionKeys, redemptions } from '../calls.ts';
import { DeleteByNameDialog } from './DeleteByNameDialog.tsx';

/** Actions on many codes at once. */
export function MassMenu({ onDisableChosen }: { readonly onDisableChosen: () => unknown }) {
  const { t } = useTranslation();
  const [isNaming, setNaming] = useState(false);
  const removeDisabled = useRemoveDisabled();
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} />}>
            {t('redemption.mass')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconBan size={16} />} onClick={() => onDisableChosen()}>
            {t('redemption.disableChosen')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconEraser size={16} />}
            c="var(--tone-red-text)"
            onClick={() => void removeDisabled()}
          >
            {t('redemption.deleteDisabled')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconTrash size={16} />}
            c="var(--tone-red-text)"
            onClick={() => setNaming(true)}
          >
            {t('redemption.deleteByName')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <DeleteByNameDialog isOpen={isNaming} onClose={() => setNaming(false)} />
    </>
  );
}

/** Also deletes used codes; the confirmation counts both. */
function useRemoveDisabled(): () => Promise<void> {
  const { t } = useTranslation();
  const remove = useAction(() => redemptions.removeDisabled({}), {
    touches: [redemptionKeys],
    done: (count) => t('redemption.deleted', { count }),
  });
  return async () => {
    const [disabled, used] = await Promise.all(
      [REDEMPTION_STATUS.disabled, REDEMPTION_STATUS.used].map(countOf),
    );
    const count = (disabled ?? 0) + (used ?? 0);
    if (count === 0) return say.info(t('redemption.nothingDisabled'));
    const isSure = await confirm({
      title: t('redemption.askDeleteDisabled'),
      text: t('redemption.deleteDisabledHint', { disabled: disabled ?? 0, used: used ?? 0 }),
      verb: t('redemption.verbDeleteMany', { count }),
      isDanger: true,
    });
    if (isSure) remove.mutate(undefined);
  };
}

async function countOf(status: number): Promise<number> {
  try {
    return (await redemptions.list({ status, page_size: 1 })).total;
  } catch (error) {
    say.failure(error);
    return 0;
  }
}
