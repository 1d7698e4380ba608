import { Text, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { OpenModal } from '../layout/OpenModal.tsx';

interface CopyByHandProps {
  readonly text: string;
  readonly onClose: () => void;
}

export function CopyByHand({ text, onClose }: CopyByHandProps) {
  const { t } = useTranslation();
  return (
    <OpenModal onClose={onClose} title={t('part.copy.title')}>
      <Text mb="sm">{t('part.copy.byHand')}</Text>
      <Textarea
        readOnly
        maxRows={12}
        ff="monospace"
        data-autofocus
        aria-label={t('part.copy.title')}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
      />
    </OpenModal>
  );
}
