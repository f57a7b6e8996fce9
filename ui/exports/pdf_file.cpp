#include "ui/exports/pdf_file.h"

namespace nns::exports {

void PdfFile::begin(int number) {
  offsets_[static_cast<std::size_t>(number) - 1] = flushed_ + out_.size();
  put(out_, "{} 0 obj\n", number);
}

void PdfFile::object(int number, std::string_view body) {
  begin(number);
  out_.append(body).append("\nendobj\n");
}

void PdfFile::stream(int number, std::string_view entries, std::string_view bytes) {
  begin(number);
  put(out_, "<<{} /Length {}>>\nstream\n", entries, bytes.size());
  out_.append(bytes).append("\nendstream\nendobj\n");
}

void PdfFile::end(int catalog) {
  const std::uint64_t table = flushed_ + out_.size();
  put(out_, "xref\n0 {}\n0000000000 65535 f \n", offsets_.size() + 1);
  for (const std::uint64_t offset : offsets_) put(out_, "{:010} 00000 n \n", offset);
  put(out_, "trailer\n<</Size {} /Root {} 0 R>>\nstartxref\n{}\n%%EOF\n", offsets_.size() + 1, catalog, table);
}

void PdfFile::flush(host::SaveFile& file) {
  file.write(out_);
  flushed_ += out_.size();
  out_.clear();
}

}  // namespace nns::exports
