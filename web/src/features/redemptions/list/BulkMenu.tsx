import { Button, Menu, Stack, Text, TextInput } from '@mantine/core';
import { IconBan, IconChevronDown, IconEraser, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { REDEMPTION_STATUS } from '../../../../../src/domain/statuses.ts';
import { MenuItems } from '../../../components/data-table/RowMenu.tsx';
import { Form, ProblemNotice } from '../../../components/forms/Form.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { DialogFooter } from '../../../components/layout/DialogFooter.tsx';
import { OpenModal } from '../../../components/layout/OpenModal.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { redemptionKeys } from '../../../lib/api/query-keys.ts';
import { MAX_NAMED, someNames } from '../../../lib/text/lists.ts';
import { redemptions } from '../calls.ts';

/** Actions on many codes at once. */
export function BulkMenu({ onDisableChosen }: { readonly onDisableChosen: () => unknown }) {
  const { t } = useTranslation();
  const [isNaming, setNaming] = useState(false);
  const removeDisabled = useRemoveAll('disabled');
  const removeUsed = useRemoveAll('used');
  const [erase, bin] = [<IconEraser key="erase" size={16} />, <IconTrash key="bin" size={16} />];
  const removals = [
    {
      key: 'disabled',
      label: t('redemption.deleteDisabled'),
      icon: erase,
      onClick: removeDisabled,
    },
    { key: 'used', label: t('redemption.deleteUsed'), icon: erase, onClick: removeUsed },
    { key: 'name', label: t('redemption.deleteByName'), icon: bin, onClick: () => setNaming(true) },
  ].map((action) => ({ ...action, isDanger: true }));
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} />}>
            {t('common.batchActions')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconBan size={16} />} onClick={() => onDisableChosen()}>
            {t('redemption.disableChosen')}
          </Menu.Item>
          <Menu.Divider />
          <MenuItems actions={removals} />
        </Menu.Dropdown>
      </Menu>
      {isNaming && <DeleteByNameDialog onClose={() => setNaming(false)} />}
    </>
  );
}

const REMOVALS = {
  disabled: { remove: redemptions.removeDisabled, hint: 'redemption.deleteDisabledHint' },
  used: { remove: redemptions.removeUsed, hint: 'redemption.deleteUsedHint' },
} as const;

/** Deletes all codes with a status, after a confirmation that counts them. */
function useRemoveAll(status: keyof typeof REMOVALS): () => Promise<void> {
  const { t } = useTranslation();
  const { remove, hint } = REMOVALS[status];
  const removal = useAction(() => remove({}), {
    touches: [redemptionKeys],
    done: (count) => t('redemption.deleted', { count }),
  });
  return async () => {
    const sent = { status: REDEMPTION_STATUS[status], page_size: MAX_NAMED };
    const found = await redemptions.list(sent).catch(toast.failure);
    if (!found) return;
    const { items, total: count } = found;
    const names = someNames(
      items.map(({ name }) => name),
      count,
    );
    if (count === 0) return toast.info(t('redemption.nothingToDelete'));
    const isSure = await confirm({
      title: t('redemption.askDeleteAll'),
      text: t(hint, { count, names }),
      verb: t('redemption.verbDeleteMany', { count }),
      isDanger: true,
    });
    if (isSure) removal.mutate(undefined);
  };
}

const COUNTED = 'redemption.counted';

/** Two steps: first counts the codes with this name, then shows the button that deletes them. */
function DeleteByNameDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [error, setError] = useState('');
  const [counted, setCounted] = useState<number | undefined>(undefined);
  const count = useAction((name: string) => redemptions.countByName({ name }), {
    onDone: setCounted,
    onFailed: () => undefined,
  });
  const remove = useAction((name: string) => redemptions.removeByName({ name }), {
    touches: [redemptionKeys],
    done: (count) => t('redemption.deleted', { count }),
    onDone: onClose,
    onFailed: () => undefined,
  });
  const problem = count.error ?? remove.error;
  const look = () => {
    if (name.trim() === '') return setError(t('redemption.error.nameMissing'));
    count.mutate(name.trim());
  };
  const rename = (typed: string) => {
    setName(typed);
    setError('');
    setCounted(undefined);
  };
  return (
    <OpenModal onClose={onClose} title={t('redemption.deleteByName')}>
      <Form onSubmit={look}>
        <Stack gap="md">
          <ProblemNotice problem={problem} />
          <TextInput
            label={t('common.name')}
            description={t('redemption.byNameHint')}
            value={name}
            error={error}
            data-autofocus
            onChange={(event) => rename(event.currentTarget.value)}
          />
          {counted !== undefined && (
            <Text component="div" role="status">
              <Trans
                t={t}
                i18nKey={COUNTED}
                values={{ count: counted, name: name.trim() }}
                components={{
                  figure: (
                    <Text
                      span
                      fz={20}
                      fw={600}
                      c={counted > 0 ? 'var(--mantine-color-error)' : undefined}
                    />
                  ),
                }}
              />
            </Text>
          )}
          {counted === undefined || counted === 0 ? (
            <DialogFooter
              onClose={onClose}
              verb={t('redemption.count')}
              loading={count.isPending}
            />
          ) : (
            <DialogFooter
              onClose={onClose}
              verb={t('redemption.verbDeleteMany', { count: counted })}
              color="danger"
              loading={remove.isPending}
              onClick={() => remove.mutate(name.trim())}
            />
          )}
        </Stack>
      </Form>
    </OpenModal>
  );
}
