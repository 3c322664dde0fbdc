// Headers: made from the schedule, compared in layout order, described when they differ.
#include "frame/header.h"

#include "base/assert.h"
#include "base/memory.h"

namespace alpha {

Header make_header(const FrameFields& fields) {
  Header header;
  copy_bytes(header.magic, kMagic, sizeof(kMagic));
  copy_bytes(header.run, fields.run, sizeof(header.run));
  header.sender.set(fields.sender);
  header.receiver.set(fields.receiver);
  header.region.set(fields.region);
  header.version.set(fields.version);
  header.offset.set(fields.offset);
  header.extent.set(fields.extent);
  header.total.set(fields.total);
  header.element.set(static_cast<u32>(fields.element));
  memset(header.zero, 0, sizeof(header.zero));
  return header;
}

namespace {

Header edge_header(const u8* run, u64 sender, u64 receiver, u64 version) {
  return make_header({.run = run,
                      .sender = sender,
                      .receiver = receiver,
                      .region = kEdgeRegion,
                      .version = version,
                      .offset = 0,
                      .extent = 0,
                      .total = 0,
                      .element = Element::bytes});
}

// Where a field lies, what it is called, and what a difference in it is.
struct FieldRow {
  Field field;
  u64 first;
  u64 bytes;
  const char* name;
  FailureKind refusal;
};

constexpr FieldRow kFields[] = {
    {Field::magic, 0, 8, "magic", FailureKind::frame},
    {Field::run, 8, 32, "run", FailureKind::frame},
    {Field::sender, 40, 8, "sender", FailureKind::edge},
    {Field::receiver, 48, 8, "receiver", FailureKind::edge},
    {Field::region, 56, 8, "region", FailureKind::edge},
    {Field::version, 64, 8, "version", FailureKind::version},
    {Field::offset, 72, 8, "offset", FailureKind::version},
    {Field::extent, 80, 8, "extent", FailureKind::bytes},
    {Field::total, 88, 8, "total", FailureKind::edge},
    {Field::element, 96, 4, "element", FailureKind::edge},
    {Field::zero, 100, 28, "reserved bytes", FailureKind::frame},
    {Field::trailer, 128, 32, "trailer", FailureKind::bytes},
    {Field::word, 128, 8, "word", FailureKind::bytes},
};

// A header as its 128 bytes.
const u8* bytes_of(const Header& header) { return reinterpret_cast<const u8*>(&header); }

const FieldRow* row_of(Field field) {
  for (const FieldRow& row : kFields) {
    if (row.field == field) return &row;
  }
  return nullptr;
}

void append_value(const TextSink& sink, const FieldRow& row, const Header& header) {
  const u8* at = bytes_of(header) + row.first;
  switch (row.field) {
    case Field::magic:
    case Field::run:  // whole: two builds may differ late in it
    case Field::zero:
      return append(sink, Hex{at, row.bytes});
    case Field::element:
      return append(sink, load_big32(at));
    default:
      return append(sink, load_big64(at));
  }
}

}  // namespace

Header opening_header(const u8* run, u64 sender, u64 receiver) {
  return edge_header(run, sender, receiver, kOpeningVersion);
}

Header closing_header(const u8* run, u64 sender, u64 receiver) {
  return edge_header(run, sender, receiver, kClosingVersion);
}

const char* field_name(Field field) {
  const FieldRow* row = row_of(field);
  return row == nullptr ? "none" : row->name;
}

FailureKind refusal_of(Field field) {
  const FieldRow* row = row_of(field);
  return row == nullptr ? FailureKind::none : row->refusal;
}

Field first_difference(const Header& expected, const Header& found) {
  const u8* left = bytes_of(expected);
  const u8* right = bytes_of(found);
  for (const FieldRow& row : kFields) {
    if (row.first >= kHeaderBytes) break;
    if (!same_bytes(left + row.first, right + row.first, row.bytes)) return row.field;
  }
  return Field::none;
}

void describe_difference(const TextSink& sink, Field field, const Header& expected,
                         const Header& found) {
  const FieldRow* row = row_of(field);
  ALPHA_ASSERT(row != nullptr);
  if (field == Field::trailer) return append(sink, "the trailer is not the digest of what came");
  if (field == Field::word) return append(sink, "a word is neither 0 nor 1");
  if (row->refusal == FailureKind::version) {
    const Header* const both[] = {&expected, &found};
    for (const Header* header : both) {
      append(sink, header == &expected ? "expected version " : ", got version ");
      append(sink, header->version.get());
      append(sink, " offset ");
      append(sink, header->offset.get());
    }
    return;
  }
  append(sink, "expected ");
  append(sink, row->name);
  append(sink, ' ');
  append_value(sink, *row, expected);
  append(sink, ", got ");
  append_value(sink, *row, found);
}

u64 first_noncanonical(Span<const u8> payload, u64 offset) {
  for (u64 i = 0; i < payload.count; ++i) {
    if (payload[i] > ((offset + i) % 8 == 0 ? 1 : 0)) return i;
  }
  return payload.count;
}

}  // namespace alpha
